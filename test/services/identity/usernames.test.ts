import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Username } from '../../../src/api/user.ts';
import { usernames } from '../../../src/services/sign-in/identity/usernames.ts';

const names = (name: string, prefix = 'oidc_', nextId = 5) => [
  ...usernames({ name, prefix, nextId }, randomBytes),
];

it('begins with the wished name, then numbers it', () => {
  expect(names('alice').slice(0, 3)).toEqual(['alice', 'alice2', 'alice3']);
});

it('without a wish begins with the next id', () => {
  expect(names('').slice(0, 2)).toEqual(['oidc_5', 'oidc_6']);
});

it('ends with random numbers, which nobody can take beforehand', () => {
  const [first, second] = [names('alice'), names('alice')];
  expect(first.slice(-6)).not.toEqual(second.slice(-6));
});

it.each([
  ['a name that is far too long', 'a-name-that-is-far-too-long'],
  ['an e-mail address', 'bob@example.com'],
  ['blanks and control characters', ' bo\tb\u0000\u200b '],
  ['signs of two units', '😀😀😀😀😀😀😀😀'],
  ['nothing usable', '@ '],
])('gives names that the rules accept for %s', (_, wished) => {
  for (const [prefix, nextId] of [
    ['oidc_', 5],
    ['telegram_', 123_456_789],
  ] as const)
    for (const name of names(wished, prefix, nextId)) {
      expect(Username.parse(name)).toBe(name);
      expect(name).not.toContain('@');
    }
});
