import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { Username } from '../../../../src/api/accounts/user.ts';
import { candidateUsernames } from '../../../../src/services/sign-in/identity/usernames.ts';

const names = (name: string, prefix = 'oidc_', nextId = 5) => [
  ...candidateUsernames({ name, prefix, nextId }, randomBytes),
];

it('a username starts with the requested name, then has numbers appended', () => {
  expect(names('alice').slice(0, 3)).toEqual(['alice', 'alice2', 'alice3']);
});

it('a username without a request starts with the next id', () => {
  expect(names('').slice(0, 2)).toEqual(['oidc_5', 'oidc_6']);
});

it('a username finally gets random numbers, which cannot be taken in advance', () => {
  const [first, second] = [names('alice'), names('alice')];
  expect(first.slice(-6)).not.toEqual(second.slice(-6));
});

it.each([
  ['a name that is far too long', 'a-name-that-is-far-too-long'],
  ['an e-mail address', 'bob@example.com'],
  ['blanks and control characters', ' bo\tb\u0000\u200b '],
  ['signs of two units', '😀😀😀😀😀😀😀😀'],
  ['nothing usable', '@ '],
])('a username accepted by the rules is generated for %s', (_, wished) => {
  for (const [prefix, nextId] of [
    ['oidc_', 5],
    ['telegram_', 123_456_789],
  ] as const)
    for (const name of names(wished, prefix, nextId)) {
      expect(Username.parse(name)).toBe(name);
      expect(name).not.toContain('@');
    }
});
