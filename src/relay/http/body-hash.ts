/** SHA-256 of a body of any length, in slices. */
import { createHash, type Hash } from 'node:crypto';
import { Slices } from '../body/event-loop-slices.ts';
import type { UpstreamRequest } from './upstream-call.ts';

/** Bytes hashed at once. */
const STEP_BYTES = 256 * 1024;

/** The hash in hexadecimal. */
export async function hashOf(body: UpstreamRequest['body']): Promise<string> {
  const hash = createHash('sha256');
  if (typeof body === 'string') return hash.update(body).digest('hex');
  const pieces = Buffer.isBuffer(body) ? [body] : (body ?? []);
  for (const piece of pieces) await add(hash, piece);
  return hash.digest('hex');
}

async function add(hash: Hash, bytes: Buffer): Promise<void> {
  const slices = bytes.length > STEP_BYTES ? new Slices() : undefined;
  for (let at = 0; at < bytes.length; at += STEP_BYTES) {
    if (slices?.isOver) await slices.next();
    hash.update(bytes.subarray(at, at + STEP_BYTES));
  }
}
