/** Generated audio files whose length cannot be derived from their size. */
import { expect, test } from 'vitest';
import { audioSeconds } from '../../../src/domain/token-count/audio-length.ts';
import { wav } from '../../relay/media/media-calls.ts';

function secondsOf(bytes: Buffer): number {
  return audioSeconds({
    head: bytes.subarray(0, 65_536),
    tail: bytes.subarray(-65_536),
    bytes: bytes.length,
  });
}

test('reads the bytes per second of a wave file from its header', () => {
  expect(secondsOf(wav(3.5))).toBe(3.5);
});

test('measures a wave file recorded as a stream by the bytes received', () => {
  const open = wav(2);
  open.writeUInt32LE(0xffffffff, 40);
  expect(secondsOf(open)).toBe(2);
});

test('reads rate and samples from FLAC', () => {
  const flac = Buffer.alloc(42);
  flac.write('fLaC', 0);
  flac.writeUInt32BE((44_100 << 12) >>> 0, 18);
  flac.writeUInt32BE(44_100 * 7, 22);
  expect(secondsOf(flac)).toBe(7);
});

test.each([
  ['OpusHead', 48_000, 0],
  ['\u0001vorbis', 16_000, 16_000],
])('reads the samples from the last page of Ogg with %s', (codec, rate, result) => {
  const head = Buffer.alloc(80);
  head.write('OggS', 0);
  head.write(codec, 28, 'latin1');
  head.writeUInt32LE(result, 40);
  const last = Buffer.alloc(100);
  last.write('OggS', 20);
  last.writeBigInt64LE(BigInt(rate * 9), 26);
  expect(secondsOf(Buffer.concat([head, Buffer.alloc(100_000), last]))).toBe(9);
});

test.each([
  ['MPEG-1 at 128 kbit/s', 0xfffb9000, 16_000],
  ['MPEG-2 at 48 kbit/s', 0xfff36000, 6_000],
])('reads the bit rate from MP3 frames: %s', (_name, header, bytesPerSec) => {
  const mp3 = Buffer.alloc(bytesPerSec * 5);
  mp3.writeUInt32BE(header, 0);
  expect(secondsOf(mp3)).toBe(5);
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 1, 0]);
  expect(secondsOf(Buffer.concat([tag, Buffer.alloc(128), mp3]))).toBe(5);
});

test.each([0, 3, 11, 40])('assumes 128 kbit/s for an unknown format: %i bytes', (bytes) => {
  expect(secondsOf(Buffer.alloc(bytes, 'RIFFfLaCOggSID3'))).toBe(bytes / 16_000);
});
