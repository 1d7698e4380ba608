/**
 * Reads a request body on demand: decompresses it while it arrives, reserves budget before
 * allocating memory, and aborts when it arrives too slowly.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { AppError } from '../../domain/errors/errors.ts';
import {
  type BodyBudget,
  type BodyReservation,
  SMALL_BODY_BYTES,
} from '../../relay/body/body-budget.ts';
import { NO_UPLOAD, type Upload } from '../../relay/call/incoming-call.ts';
import { ClientLeft } from '../../relay/failures/failed-attempt.ts';
import { openZstd } from '../../relay/http/zstd.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { discardUnreadBody } from './unread-body.ts';
import { watchUploadSpeed } from './upload-speed.ts';

export function uploadOf(
  request: IncomingMessage,
  response: ServerResponse,
  budget: BodyBudget,
): Upload {
  const length = announcedBytes(request);
  if (length === 0) return NO_UPLOAD;
  discardUnreadBody(request, response, budget.largestBytes);
  let reservation: BodyReservation | undefined;
  return {
    // The decompressed size of a compressed body is unknown in advance.
    announcedBytes: encodingOf(request) === '' ? length : Number.POSITIVE_INFINITY,
    read(account, maxBytes) {
      reservation = budget.open(account);
      return readBody(request, budget, reservation, maxBytes);
    },
    grow: (bytes) => reservation?.grow(bytes),
    hold: (units) => reservation?.hold(units),
    free: () => reservation?.free(),
  };
}

function announcedBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

const CHUNK_OPTIONS = { chunkSize: 64 * 1024 };
const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip(CHUNK_OPTIONS)],
  ['x-gzip', () => zlib.createGunzip(CHUNK_OPTIONS)],
  ['deflate', () => zlib.createInflate(CHUNK_OPTIONS)],
  ['br', () => zlib.createBrotliDecompress(CHUNK_OPTIONS)],
  ...[openZstd].flatMap((open) => (open ? [['zstd', () => open(CHUNK_OPTIONS)] as const] : [])),
]);
/** Their decoders allocate a window of several megabytes. */
const LARGE_WINDOWS: ReadonlySet<string> = new Set(['br', 'zstd']);

async function readBody(
  request: IncomingMessage,
  budget: BodyBudget,
  reservation: BodyReservation,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = encodingOf(request);
  try {
    const bytes = emptyBytes(request, reservation, maxBytes, encoding);
    const openUnpacker = DECOMPRESSORS.get(encoding);
    if (openUnpacker === undefined) await readAll(request, request, bytes);
    else if (LARGE_WINDOWS.has(encoding))
      await budget.withLargeWindow(() => decompress(request, openUnpacker(), bytes));
    else await decompress(request, openUnpacker(), bytes);
    return bytes.all();
  } catch (error) {
    reservation.free();
    // The rest of the body is discarded once the refusal has been written.
    request.pause();
    if (error instanceof AppError || error instanceof ClientLeft) throw error;
    throw new AppError('body_encoding_broken', { encoding }, { cause: error });
  }
}

/** @throws AppError body_encoding_unknown, body_too_large; ClientLeft. */
function emptyBytes(
  request: IncomingMessage,
  reservation: BodyReservation,
  maxBytes: number,
  encoding: string,
): GrowingBytes {
  const expected = announcedBytes(request);
  const isPacked = encoding !== '';
  if (isPacked && !DECOMPRESSORS.has(encoding))
    throw new AppError('body_encoding_unknown', { encoding });
  if (Number.isFinite(expected) && expected > maxBytes)
    throw new AppError('body_too_large', { limit: maxBytes });
  if (request.destroyed) throw new ClientLeft();
  const isKnown = !isPacked && Number.isFinite(expected);
  return new GrowingBytes(reservation, isKnown ? expected : 0, maxBytes);
}

function encodingOf({ headers }: IncomingMessage): string {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  return encoding === 'identity' ? '' : encoding;
}

async function decompress(
  request: IncomingMessage,
  unpacker: Transform,
  bytes: GrowingBytes,
): Promise<void> {
  try {
    await readAll(request, request.pipe(unpacker), bytes);
  } finally {
    request.unpipe(unpacker);
    unpacker.destroy();
  }
}

/** Reads `source`, which ends when the whole request has arrived. */
function readAll(
  request: IncomingMessage,
  source: NodeJS.ReadableStream,
  bytes: GrowingBytes,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      stopWatch?.();
      source.off('data', add).off('end', end);
      request.off('error', onClosed).off('close', onClosed);
      settle();
    };
    const end = () => finish(resolve);
    // A request also closes when it has arrived completely, before the last of it is decompressed.
    const onClosed = () => {
      if (!request.complete) finish(() => reject(new ClientLeft()));
    };
    const fail = (error: unknown) => finish(() => reject(error));
    const add = (chunk: Buffer) => {
      try {
        bytes.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const stopWatch =
      announcedBytes(request) > SMALL_BODY_BYTES ? watchUploadSpeed(request, fail) : undefined;
    source.on('data', add).on('end', end);
    // The listener stays: without one, a later error would end the process.
    if (source !== request) source.on('error', fail);
    request.on('error', onClosed).on('close', onClosed);
  });
}
