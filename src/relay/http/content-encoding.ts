/**
 * Decodes compressed responses. The gateway requests uncompressed ones, but some upstreams compress
 * anyway (RFC 9110 8.4).
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Batch, ByteSource, Headers } from './upstream-call.ts';

const DECODERS: Readonly<
  Record<string, (body: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>>
> = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  'x-gzip': promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress),
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

type Inflater = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress;

const INFLATERS: Readonly<Record<string, () => Inflater>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
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
  readonly #source: ByteSource;
  readonly #inflater: Inflater;
  #pieces: Buffer[] = [];
  #failure: Error | undefined;
  #fail: (() => void) | undefined;
  #ended = false;

  constructor(source: ByteSource, inflater: Inflater) {
    this.#source = source;
    this.#inflater = inflater;
    inflater.on('data', (piece: Buffer) => this.#pieces.push(piece));
    inflater.on('error', (error) => {
      this.#failure = error;
      this.#fail?.();
    });
  }

  async next(waitMs: number): Promise<Batch> {
    const batch = await this.#source.next(waitMs);
    if (batch === 'ended') return this.#end();
    if (typeof batch === 'string') return batch;
    for (const chunk of batch) await this.#feed((done) => this.#inflater.write(chunk, done));
    return this.#taken();
  }

  async #end(): Promise<Batch> {
    if (this.#ended) return 'ended';
    this.#ended = true;
    await this.#feed((done) => this.#inflater.end(done));
    const last = this.#taken();
    return last.length > 0 ? last : 'ended';
  }

  /**
   * Resolves when the input is decoded or has failed, because zlib does not call back after an
   * error.
   */
  #feed(feed: (done: () => void) => void): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#fail = resolve;
      feed(resolve);
    });
  }

  #taken(): Buffer[] {
    if (this.#failure !== undefined)
      throw new AppError('upstream_garbled', {}, { cause: this.#failure });
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
