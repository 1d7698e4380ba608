/**
 * Decodes compressed responses. The gateway requests uncompressed ones, but some upstreams compress
 * anyway (RFC 9110 8.4).
 */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { ArrivedBytes, ByteSource } from './byte-source.ts';
import type { TimedWait } from './timed-wait.ts';
import type { Headers } from './upstream-call.ts';
import { decodeZstd, openZstd } from './zstd.ts';

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
  ...(decodeZstd && { zstd: decodeZstd }),
};

/** @throws AppError upstream_garbled for an unknown or broken encoding, upstream_too_large. */
export function decodeBody(body: Buffer, headers: Headers, maxBytes: number): Awaitable<Buffer> {
  const encoding = encodingOf(headers);
  return encoding === '' ? body : decompressed(body, encoding, maxBytes);
}

async function decompressed(body: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
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

const INFLATERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  ...(openZstd && { zstd: openZstd }),
};

/** Decodes `source` as it arrives. @throws AppError upstream_garbled for an unknown encoding. */
export function decodedSource(source: ByteSource, headers: Headers): ByteSource {
  const encoding = encodingOf(headers);
  if (encoding === '') return source;
  const inflater = INFLATERS[encoding]?.();
  if (inflater === undefined) throw new AppError('upstream_garbled');
  return new DecodedSource(source, inflater);
}

/**
 * The event stream's reader limits the decoded size; each batch is limited by what the socket
 * delivered.
 */
class DecodedSource implements ByteSource {
  readonly wait: TimedWait;
  readonly #source: ByteSource;
  readonly #inflater: Transform;
  #listener: (() => void) | undefined;
  #pieces: Buffer[] = [];
  #failure: Error | undefined;
  #isDecoding = false;
  #ended = false;

  constructor(source: ByteSource, inflater: Transform) {
    this.wait = source.wait;
    this.#source = source;
    this.#inflater = inflater;
    inflater.on('data', (piece: Buffer) => this.#pieces.push(piece));
    inflater.on('end', () => this.#decoded());
    inflater.on('error', (error) => {
      // The frames tell whether a body that is cut off is complete, as without compression.
      if (!this.#ended) this.#failure = error;
      this.#decoded();
    });
  }

  onArrival(listener: () => void): void {
    this.#listener = listener;
    this.#source.onArrival(listener);
  }

  arrived(): ArrivedBytes | undefined {
    if (this.#isDecoding) return undefined;
    if (this.#failure !== undefined)
      throw new AppError('upstream_garbled', {}, { cause: this.#failure });
    if (this.#pieces.length > 0) return this.#taken();
    if (this.#ended) return 'ended';
    const encoded = this.#source.arrived();
    if (encoded !== undefined) this.#decode(encoded);
    return undefined;
  }

  #decode(encoded: ArrivedBytes): void {
    this.#isDecoding = true;
    this.#ended = encoded === 'ended';
    if (encoded === 'ended') this.#inflater.end();
    else
      this.#inflater.write(Buffer.concat(encoded), (error) => {
        if (!error) this.#decoded(); // else 'error' follows
      });
  }

  #decoded(): void {
    this.#isDecoding = false;
    this.wait.wake();
    this.#listener?.();
  }

  #taken(): Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }
}

function encodingOf(headers: Headers): string {
  const { 'content-encoding': given } = headers;
  if (given === undefined) return '';
  const value = String(given).trim().toLowerCase();
  return value === 'identity' ? '' : value;
}
