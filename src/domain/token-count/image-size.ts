/**
 * Reads width and height from an image header: PNG, JPEG, GIF and WebP. Reads the first 64 KB only
 * and never throws; undefined if the size is not found.
 */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Enough for all formats except JPEG. */
const FIRST_CHARS = 64;
const HEADER_BYTES = 65_536;
const HEADER_CHARS = Math.ceil(HEADER_BYTES / 3) * 4;
const SHORTEST = 30;

/** The size of an image given as a data URL or plain base64. */
export function imageSizeOf(data: string): ImageSize | undefined {
  const from = data.startsWith('data:') ? data.indexOf(',') + 1 : 0;
  const first = bytesOf(data.slice(from, from + FIRST_CHARS));
  if (first === undefined || first.byteLength < SHORTEST) return undefined;
  const size = readPng(first) ?? readGif(first) ?? readWebp(first) ?? jpegSize(data, from, first);
  return size && size.width > 0 && size.height > 0 ? size : undefined;
}

/** Undefined for invalid base64, which clients also send. */
function bytesOf(base64: string): DataView | undefined {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4)));
    return new DataView(Uint8Array.from(text, (char) => char.charCodeAt(0)).buffer);
  } catch {
    return undefined;
  }
}

function jpegSize(data: string, from: number, first: DataView): ImageSize | undefined {
  if (first.getUint16(0) !== 0xffd8) return undefined;
  const header = bytesOf(data.slice(from, from + HEADER_CHARS));
  return header && readJpeg(header);
}

function isTag(bytes: DataView, at: number, tag: string): boolean {
  return [...tag].every((char, index) => bytes.getUint8(at + index) === char.charCodeAt(0));
}

function readPng(bytes: DataView): ImageSize | undefined {
  if (bytes.getUint32(0) !== 0x89504e47) return undefined;
  return { width: bytes.getUint32(16), height: bytes.getUint32(20) };
}

function readGif(bytes: DataView): ImageSize | undefined {
  if (!isTag(bytes, 0, 'GIF8')) return undefined;
  return { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) };
}

function readWebp(bytes: DataView): ImageSize | undefined {
  if (!isTag(bytes, 0, 'RIFF') || !isTag(bytes, 8, 'WEBP')) return undefined;
  if (isTag(bytes, 12, 'VP8 '))
    return {
      width: bytes.getUint16(26, true) & 0x3fff,
      height: bytes.getUint16(28, true) & 0x3fff,
    };
  if (isTag(bytes, 12, 'VP8L')) {
    const bits = bytes.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!isTag(bytes, 12, 'VP8X')) return undefined;
  return { width: uint24(bytes, 24) + 1, height: uint24(bytes, 27) + 1 };
}

function uint24(bytes: DataView, at: number): number {
  return bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 0x10000;
}

/** Start-of-frame markers hold the size; C4, C8 and CC are tables in the same range. */
function readJpeg(bytes: DataView): ImageSize | undefined {
  let offset = 2;
  while (offset + 9 <= bytes.byteLength && bytes.getUint8(offset) === 0xff) {
    const marker = bytes.getUint8(offset + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.getUint16(offset + 7), height: bytes.getUint16(offset + 5) };
    offset += 2 + bytes.getUint16(offset + 2);
  }
  return undefined;
}
