/** Generates request ids: sortable by time, and unique without coordination. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TAIL = 8;
const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * `YYYYMMDDHHmmss` (UTC), nine digits below the second, eight random letters or digits. The last
 * six digits count within the millisecond, so that the ids of one process sort in order of
 * creation.
 */
export function newRequestId(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== stampSecond) {
    stampSecond = second;
    stamp = new Date(second * 1000).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  }
  sequence = nowMs === lastMs ? sequence + 1 : 0;
  lastMs = nowMs;
  const below = (nowMs % 1000) * 1_000_000 + sequence;
  return `${stamp}${String(below).padStart(9, '0')}${randomTail()}`;
}

let lastMs = -1;
let sequence = 0;

/** Cached, because it changes only once a second. */
let stampSecond = -1;
let stamp = '';

function randomTail(): string {
  if (used + TAIL > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let tail = '';
  for (let at = 0; at < TAIL; at += 1) tail += ALPHABET[(pool[used + at] ?? 0) % ALPHABET.length];
  used += TAIL;
  return tail;
}
