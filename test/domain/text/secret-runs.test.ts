import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MIN_RUN_LENGTH, SecretRuns } from '../../../src/domain/text/secret-runs.ts';

const SECRET = '9fJ2kLqPz8Xw3VbN7mTt5RyUeH4gAaZx1CcDd6Ii';
const KEY = `sk-proj-${SECRET}`;
const runs = new SecretRuns(KEY);
const { privateKey: pem } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const lines = pem.trim().split('\n');

describe('a part of a key', () => {
  test('is found anywhere from twelve characters on, and never if shorter', () => {
    for (let from = 0; from < SECRET.length; from++)
      for (let length = 1; from + length <= SECRET.length; length++) {
        const part = SECRET.slice(from, from + length);
        for (const before of ['', 'key: ', 'a'.repeat(from % 11)]) {
          const text = `${before}${part}, ü`;
          const shown = length < MIN_RUN_LENGTH ? text : `${before}***, ü`;
          expect(runs.hide(text)).toBe(shown);
          expect(runs.isIn(Buffer.from(text))).toBe(length >= MIN_RUN_LENGTH);
        }
      }
  });

  test('is hidden at every occurrence', () => {
    const text = `${SECRET.slice(0, 20)} ${SECRET.slice(10)} and ${KEY}`;
    expect(runs.hide(text)).toBe('*** *** and sk-***');
  });
});

test.each([
  ['of OpenAI', KEY, 'keys begin with sk-proj- or sk-'],
  [
    'of Anthropic',
    'sk-ant-api03-ABCDEFGHijkl_mnopqrstuvwx-yz',
    'keys begin with sk-ant-api03-, not with sk-ant-admin01-',
  ],
  ['of Google', 'AIzaSyD9fJ2kLqPz8Xw3VbN7mTt5RyUeH4gAaZx', 'keys begin with AIzaSy'],
  ['of GitHub', 'github_pat_11ABCDEFG0abcdefghijkl', 'keys begin with github_pat_'],
  ['with a region', 'AKIAIOSFODNN7EXAMPLE|wJalrXUtnFEMI/K7MDENG|us-gov-east-1', 'us-gov-east-1'],
  [
    'of a service account',
    JSON.stringify({
      project_id: 'my-long-project-name',
      client_email: 'robot@my-long-project-name.iam.gserviceaccount.com',
      private_key: pem,
    }),
    `my-long-project-name.iam ${lines[0]} ${lines[1]?.slice(0, 20)}`,
  ],
])('a part common to all keys %s is not treated as secret', (_kind, key, text) => {
  expect(new SecretRuns(key).hide(text)).toBe(text);
});

test('hides each secret of a key that has several', () => {
  const pair = new SecretRuns('AKIAIOSFODNN7EXAMPLE|wJalrXUtnFEMI/K7MDENG/bPx|us-east-1');
  expect(pair.hide('AKIAIOSFODNN7 in wJalrXUtnFEMI/K, us-east-1')).toBe('*** in ***, us-east-1');
  const account = new SecretRuns(
    JSON.stringify({ project_id: 'p', client_email: 'e', private_key: pem }),
  );
  expect(account.hide(`x ${lines[5]?.slice(7, 30)} y`)).toBe('x *** y');
  expect(account.isIn(Buffer.from(JSON.stringify({ said: lines.slice(3, 6).join('\n') })))).toBe(
    true,
  );
});

test('hides a short key as a whole, and a placeholder key not at all', () => {
  const short = new SecretRuns('abc-12345');
  expect(short.hide('abc-12345 abc-1234')).toBe('abc*** abc-1234');
  expect(short.isIn(Buffer.from('not abc-12345'))).toBe(true);
  expect(new SecretRuns('none').hide('none')).toBe('none');
});
