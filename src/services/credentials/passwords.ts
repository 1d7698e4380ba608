/**
 * Password storage: scrypt (RFC 7914) with a random salt per password, in the form `scrypt:<log2
 * N>:<r>:<p>:<salt>:<hash>`. bcrypt hashes of older installations are accepted too.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PASSWORD_COST } from './password-cost.ts';
import { runInPasswordThread } from './password-thread/password-thread.ts';
import type { ScryptCost } from './password-thread/protocol.ts';

const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** @throws AppError `sign_in_busy` when the queue is full, as does `verifyPassword`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return storedForm(salt, await derive(password, salt, PASSWORD_COST));
}

/** A dummy hash that no password matches; verifying it takes as long as a real one. */
export const DUMMY_HASH = storedForm(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES));

function storedForm(salt: Buffer, hash: Buffer): string {
  const { log2n, r, p } = PASSWORD_COST;
  return ['scrypt', log2n, r, p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/** `outdated`: correct, but to be rehashed with the current method. */
export type PasswordCheck = 'wrong' | 'right' | 'outdated';

/** An account without a password (`stored` empty) accepts none. */
export async function verifyPassword(stored: string, password: string): Promise<PasswordCheck> {
  if (stored.startsWith('scrypt:')) return verifyScrypt(stored, password);
  if (!/^\$2[aby]\$/.test(stored)) return 'wrong';
  const isRight = await runInPasswordThread({ kind: 'bcrypt', password, stored });
  return isRight === true ? 'outdated' : 'wrong';
}

async function verifyScrypt(stored: string, password: string): Promise<PasswordCheck> {
  const [, log2n, r, p, salt = '', hash = ''] = stored.split(':');
  const cost = { log2n: Number(log2n), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash, 'base64');
  const found = await derive(password, Buffer.from(salt, 'base64'), cost);
  if (expected.length !== found.length || !timingSafeEqual(expected, found)) return 'wrong';
  return isDeepStrictEqual(cost, PASSWORD_COST) ? 'right' : 'outdated';
}

async function derive(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Buffer> {
  const work = { kind: 'scrypt', password, salt, cost, keyBytes: KEY_BYTES } as const;
  const key = await runInPasswordThread(work);
  return Buffer.from(key as Uint8Array); // the thread's result for scrypt
}
