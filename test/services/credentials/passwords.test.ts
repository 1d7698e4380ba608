import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { hash } from 'bcryptjs';
import { expect, it } from 'vitest';
import { PASSWORD_COST } from '../../../src/services/credentials/password-cost.ts';
import { hashPassword, verifyPassword } from '../../../src/services/credentials/passwords.ts';
import { tempFolder } from '../../support/temp-folder.ts';

it('a password hash accepts its password and no other', async () => {
  const stored = await hashPassword('correct horse');
  expect(await verifyPassword(stored, 'correct horse')).toBe('right');
  expect(await verifyPassword(stored, 'correct horsE')).toBe('wrong');
});

it('password hashes are salted: the same password gives different hashes', async () => {
  expect(await hashPassword('password1')).not.toBe(await hashPassword('password1'));
});

it('a bcrypt hash of an older installation is accepted and should be replaced', async () => {
  const stored = await hash('old password', 4);
  expect(await verifyPassword(stored, 'old password')).toBe('outdated');
  expect(await verifyPassword(stored, 'new password')).toBe('wrong');
});

/** The parameter sets of OWASP's password storage cheat sheet. */
const STRONG_ENOUGH = [
  { log2n: 17, r: 8, p: 1 },
  { log2n: 16, r: 8, p: 2 },
  { log2n: 15, r: 8, p: 3 },
  { log2n: 14, r: 8, p: 5 },
  { log2n: 13, r: 8, p: 10 },
];

it('password hashing has the cost OWASP recommends, outside of tests', () => {
  expect(STRONG_ENOUGH).toContainEqual(PASSWORD_COST);
});

it('no password is accepted for an account without one, or with an invalid hash', async () => {
  for (const stored of ['', 'plain', 'scrypt:15:8:3::'])
    expect(await verifyPassword(stored, '')).toBe('wrong');
});

it('a hash of another cost is outdated', async () => {
  const { scryptSync } = await import('node:crypto');
  const salt = Buffer.from('0123456789abcdef');
  const key = scryptSync('a password', salt, 32, { N: 2 ** 14, r: 8, p: 1 });
  const stored = `scrypt:14:8:1:${salt.toString('base64')}:${key.toString('base64')}`;
  expect(await verifyPassword(stored, 'a password')).toBe('outdated');
});

it('concurrent password checks get their own results, and too many are refused', async () => {
  const stored = await hash('right', 4);
  const tries = Array.from({ length: 60 }, (_, at) =>
    verifyPassword(stored, at % 2 === 0 ? 'right' : 'wrong').catch((error) => error),
  );
  const verdicts = await Promise.all(tries);
  const taken = verdicts.slice(0, 32);
  expect(taken).toEqual(taken.map((_, at) => (at % 2 === 0 ? 'outdated' : 'wrong')));
  for (const refusal of verdicts.slice(32))
    expect(refusal).toMatchObject({ code: 'sign_in_busy', status: 503, retryAfterSec: 5 });
  expect(await verifyPassword(stored, 'right')).toBe('outdated');
});

it('password hashing does not use the pool that databases and files need', async () => {
  await hashPassword('the first one starts the thread');
  const pipe = path.join(tempFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Each occupies a thread of the pool until the pipe is opened for writing.
  const waiting = Array.from({ length: 4 }, () => open(pipe, 'r'));
  try {
    expect(await hashPassword('a password')).toMatch(/^scrypt:/);
  } finally {
    const writer = openSync(pipe, 'r+');
    for (const file of await Promise.all(waiting)) await file.close();
    closeSync(writer);
  }
});
