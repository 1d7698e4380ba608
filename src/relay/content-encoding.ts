/** Upstreams are asked for plain bytes; some compress all the same (RFC 9110 8.4). */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { AppError } from '../domain/errors.ts';
import type { Headers } from './upstream-call.ts';

const DECODERS: Readonly<
  Record<string, (body: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>>
> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
};

export function isEncoded(headers: Headers): boolean {
  return encodingOf(headers) !== '';
}

/** @throws AppError upstream_garbled for an unknown or broken encoding, upstream_too_large. */
export async function decodeBody(
  body: Buffer,
  headers: Headers,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = encodingOf(headers);
  if (encoding === '') return body;
  const decode = DECODERS[encoding];
  if (decode === undefined) throw new AppError('upstream_garbled');
  try {
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    const tooLarge =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
    throw new AppError(tooLarge ? 'upstream_too_large' : 'upstream_garbled', {}, { cause });
  }
}

function encodingOf(headers: Headers): string {
  const value = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  return value === 'identity' ? '' : value;
}
