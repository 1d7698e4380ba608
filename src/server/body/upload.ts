/**
 * Reads a request body on demand: decompresses it while it arrives, reserves budget before
 * allocating memory, and aborts when it arrives too slowly.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import zlib from 'node:zlib';
import { AppError } from '../../domain/errors/errors.ts';
import { type BodyBudget, type BodyPlace, SMALL_BODY_BYTES } from '../../relay/body/body-budget.ts';
import { NO_UPLOAD, type Upload } from '../../relay/call/incoming-call.ts';
import { ClientLeft } from '../../relay/failures/failed-attempt.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { watchPace } from './pace.ts';
import { dropUnread } from './unread.ts';

export function uploadOf(
  request: IncomingMessage,
  response: ServerResponse,
  budget: BodyBudget,
): Upload {
  const announcedBytes = announced(request);
  if (announcedBytes === 0) return NO_UPLOAD;
  dropUnread(request, response, budget.largestBytes);
  let place: BodyPlace | undefined;
  return {
    // The decompressed size of a compressed body is unknown in advance.
    announcedBytes: encodingOf(request) === '' ? announcedBytes : Number.POSITIVE_INFINITY,
    async read(account, maxBytes) {
      const taken = budget.open(account);
      place = taken;
      try {
        return await readBody(request, budget, taken, maxBytes);
      } catch (error) {
        taken.free();
        throw error;
      }
    },
    hold: (units) => place?.hold(units),
    free: () => place?.free(),
  };
}

function announced({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}

type Unpacker = zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress;

const PIECE = { chunkSize: 64 * 1024 };
const UNPACKERS: ReadonlyMap<string, () => Unpacker> = new Map([
  ['gzip', () => zlib.createGunzip(PIECE)],
  ['x-gzip', () => zlib.createGunzip(PIECE)],
  ['deflate', () => zlib.createInflate(PIECE)],
  ['br', () => zlib.createBrotliDecompress(PIECE)],
]);

async function readBody(
  request: IncomingMessage,
  budget: BodyBudget,
  place: BodyPlace,
  maxBytes: number,
): Promise<Buffer> {
  const expected = announced(request);
  const encoding = encodingOf(request);
  const openUnpacker = UNPACKERS.get(encoding);
  const isPacked = encoding !== '';
  if (isPacked && openUnpacker === undefined)
    throw new AppError('body_encoding_unknown', { encoding });
  if (Number.isFinite(expected) && expected > maxBytes)
    throw new AppError('body_too_large', { limit: maxBytes });
  const isKnown = !isPacked && Number.isFinite(expected);
  const bytes = new GrowingBytes(place, isKnown ? expected : 0, maxBytes);
  if (request.destroyed) throw new ClientLeft();
  try {
    if (openUnpacker === undefined) await take(request, request, bytes);
    else if (encoding === 'br')
      await budget.withBrotli(() => unpack(request, openUnpacker(), bytes));
    else await unpack(request, openUnpacker(), bytes);
  } catch (error) {
    // The rest of the body is discarded once the refusal has been written.
    request.pause();
    if (error instanceof AppError || error instanceof ClientLeft) throw error;
    throw new AppError('body_encoding_broken', { encoding }, { cause: error });
  }
  return bytes.all();
}

function encodingOf({ headers }: IncomingMessage): string {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  return encoding === 'identity' ? '' : encoding;
}

async function unpack(
  request: IncomingMessage,
  unpacker: Unpacker,
  bytes: GrowingBytes,
): Promise<void> {
  try {
    await take(request, request.pipe(unpacker), bytes);
  } finally {
    request.unpipe(unpacker);
    unpacker.destroy();
  }
}

/** Reads `source`, which ends when the whole request has arrived. */
function take(
  request: IncomingMessage,
  source: NodeJS.ReadableStream,
  bytes: GrowingBytes,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (settle: () => void) => {
      stopWatch?.();
      source.off('data', add).off('end', end);
      request.off('error', left).off('close', left);
      settle();
    };
    const end = () => over(resolve);
    // A request also closes when it has arrived completely, before the last of it is decompressed.
    const left = () => {
      if (!request.complete) over(() => reject(new ClientLeft()));
    };
    const fail = (error: unknown) => over(() => reject(error));
    const add = (chunk: Buffer) => {
      try {
        bytes.add(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const stopWatch = announced(request) > SMALL_BODY_BYTES ? watchPace(request, fail) : undefined;
    source.on('data', add).on('end', end);
    // The listener stays: without one, a later error would end the process.
    if (source !== request) source.on('error', fail);
    request.on('error', left).on('close', left);
  });
}
