/** Names of requests: sortable by time, unique without asking anybody. */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TAIL = 8;
const pool = Buffer.alloc(4096);
let used = pool.length;

/** `YYYYMMDDHHmmss` (UTC), nine digits below the second, eight random letters or digits. */
export function newRequestId(nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/\D/g, '');
  const nanos = Number(process.hrtime.bigint() % 1_000_000n);
  return `${stamp}${String(nanos).padStart(6, '0')}${randomTail()}`;
}

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
