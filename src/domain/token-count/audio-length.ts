/**
 * Duration of an audio file in seconds, for transcriptions whose upstream does not report it. Reads
 * only headers, regardless of file size; unknown formats are assumed to have a common bit rate.
 */

/** 128 kbit/s. */
const USUAL_BYTES_PER_SEC = 16_000;

/** The duration in seconds of a file with the given first and last bytes; never throws. */
export function audioSeconds(file: {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly bytes: number;
}): number {
  const { head, tail, bytes } = file;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const found =
    wavSeconds(view, bytes) ??
    flacSeconds(view) ??
    oggSeconds(head, tail) ??
    mp3Seconds(view, bytes);
  return found !== undefined && found > 0 && Number.isFinite(found)
    ? found
    : bytes / USUAL_BYTES_PER_SEC;
}

/**
 * RIFF: the chunk `fmt ` has the bytes per second (Microsoft, "Multimedia Programming Interface
 * 1.0").
 */
function wavSeconds(view: DataView, bytes: number): number | undefined {
  if (!isTag(view, 0, 'RIFF') || !isTag(view, 8, 'WAVE')) return undefined;
  const format = chunkAt(view, 'fmt ');
  if (format === undefined || format + 20 > view.byteLength) return undefined;
  const bytesPerSec = view.getUint32(format + 16, true);
  const data = chunkAt(view, 'data');
  // Streaming recorders leave the length open, so it is limited to the bytes received.
  const dataBytes = data === undefined ? bytes : view.getUint32(data + 4, true);
  const length = Math.min(dataBytes, bytes - (data === undefined ? 0 : data + 8));
  return bytesPerSec === 0 ? undefined : length / bytesPerSec;
}

/** The offset of the named chunk, if its header is within the view. */
function chunkAt(view: DataView, name: string): number | undefined {
  for (let at = 12; at + 8 <= view.byteLength; ) {
    if (isTag(view, at, name)) return at;
    const size = view.getUint32(at + 4, true);
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** STREAMINFO comes first: 20 bits of sample rate, 36 bits of samples (RFC 9639 8.2). */
function flacSeconds(view: DataView): number | undefined {
  if (!isTag(view, 0, 'fLaC') || view.byteLength < 26) return undefined;
  const rate = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 0x0f) * 2 ** 32 + view.getUint32(22);
  return rate === 0 ? undefined : samples / rate;
}

/** The last page has the total number of samples (RFC 3533 6); Opus uses 48 kHz (RFC 7845 4). */
function oggSeconds(head: Uint8Array, tail: Uint8Array): number | undefined {
  const first = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (!isTag(first, 0, 'OggS')) return undefined;
  const rate = indexOfTag(head, 'OpusHead') >= 0 ? 48_000 : vorbisRate(head, first);
  const page = lastIndexOfTag(tail, 'OggS');
  if (rate === undefined || rate === 0 || page < 0 || page + 14 > tail.length) return undefined;
  const last = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  return Number(last.getBigInt64(page + 6, true)) / rate;
}

function vorbisRate(head: Uint8Array, view: DataView): number | undefined {
  const at = indexOfTag(head, '\u0001vorbis');
  return at < 0 || at + 16 > head.length ? undefined : view.getUint32(at + 12, true);
}

/** Kbit/s of MPEG-1 and MPEG-2 layer III, by header index (ISO/IEC 11172-3 2.4.2.3, 13818-3). */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];

/** Uses the bit rate of the first frame, because most speech has a constant one. */
function mp3Seconds(view: DataView, bytes: number): number | undefined {
  const start = afterId3(view);
  for (let at = start; at + 4 <= Math.min(view.byteLength, start + 4096); at += 1) {
    const header = view.getUint32(at);
    const isLayer3 = header >>> 21 === 0x7ff && ((header >>> 17) & 3) === 1;
    if (!isLayer3 || ((header >>> 10) & 3) === 3) continue;
    const rates = ((header >>> 19) & 3) === 3 ? RATES_1 : RATES_2;
    const kbits = rates[(header >>> 12) & 15] ?? 0;
    if (kbits > 0) return ((bytes - at) * 8) / (kbits * 1000);
  }
  return undefined;
}

/** Skips tags before the audio: their length has 7 bits per byte (id3.org, ID3v2.4 3.1). */
function afterId3(view: DataView): number {
  if (view.byteLength < 10 || !isTag(view, 0, 'ID3')) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (view.getUint8(at) & 0x7f), 0);
  return 10 + size;
}

function isTag(view: DataView, at: number, tag: string): boolean {
  if (at + tag.length > view.byteLength) return false;
  for (let index = 0; index < tag.length; index += 1)
    if (view.getUint8(at + index) !== tag.charCodeAt(index)) return false;
  return true;
}

function indexOfTag(bytes: Uint8Array, tag: string): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + tag.length <= bytes.length; at += 1) if (isTag(view, at, tag)) return at;
  return -1;
}

function lastIndexOfTag(bytes: Uint8Array, tag: string): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = bytes.length - tag.length; at >= 0; at -= 1) if (isTag(view, at, tag)) return at;
  return -1;
}
