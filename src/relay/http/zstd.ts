/** Zstandard (RFC 8878), which Node has from 22.15 on; undefined before. */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

interface Options {
  readonly chunkSize?: number;
  readonly maxOutputLength?: number;
  readonly params?: Readonly<Record<number, number>>;
}

interface Zstd {
  readonly createZstdDecompress?: (options: Options) => Transform;
  readonly zstdDecompress?: (
    body: Buffer,
    options: Options,
    done: (error: Error | null, result: Buffer) => void,
  ) => void;
}

const ZSTD_D_WINDOW_LOG_MAX = 100;
/** Senders keep to windows of 8 MB (RFC 9659); the library's own limit is 128 MB. */
const PARAMS = { [ZSTD_D_WINDOW_LOG_MAX]: 23 };

// The types are those of the oldest Node that works, so each function is checked before its use.
const { createZstdDecompress, zstdDecompress }: Zstd = zlib as Zstd;

export const openZstd =
  createZstdDecompress &&
  ((options: Options = {}) => createZstdDecompress({ ...options, params: PARAMS }));

const unpack = zstdDecompress && promisify(zstdDecompress);

export const decodeZstd =
  unpack && ((body: Buffer, options: Options) => unpack(body, { ...options, params: PARAMS }));
