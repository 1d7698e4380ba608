import { describe, expect, it } from 'vitest';
import { AppError } from '../src/domain/errors/errors.ts';
import { loggerTo } from '../src/log.ts';
import { readableLine } from '../src/log-lines.ts';

/** The log lines written by `write`. */
function linesOf(write: (log: ReturnType<typeof loggerTo>) => void): string[] {
  const lines: string[] = [];
  write(loggerTo('trace', { write: (line: string) => void lines.push(line) }));
  return lines;
}

const SECRETS = {
  'an OpenAI key': 'sk-proj-AbCdEfGhIjKlMnOpQrStUvWx',
  'a token of this gateway': 'sk-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL',
  'an Anthropic key': 'sk-ant-api03-AbCdEfGhIjKlMnOp_QrStUvWx-yz',
  'a Google key': 'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  'a Google token': 'ya29.a0AfH6SMBx-yzabcdefghi.jklmnop',
  'an AWS key id': 'AKIAIOSFODNN7EXAMPLE',
  'a Groq key': 'gsk_abcdefghijklmnopqrstuvwx',
  'an xAI key': 'xai-abcdefghijklmnopqrstuvwxyz',
  'a GitHub token': 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'a JWT':
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
};

/** Ways in which a secret may be passed to the logger. */
const WAYS: Readonly<Record<string, (secret: string) => object>> = {
  'the message of an error': (secret) => ({ err: new Error(`refused for ${secret}, try again`) }),
  'the cause of an error': (secret) => ({
    err: new Error('outer', { cause: new Error(`GET https://api.example/v1?x=1 with ${secret}`) }),
  }),
  'one of several errors': (secret) => ({
    err: new AggregateError([new Error(`with ${secret}`)], 'all failed'),
  }),
  'the request that a library hangs on its error': (secret) => ({
    err: Object.assign(new Error('status 500'), {
      config: { headers: { Authorization: `Bearer ${secret}`, 'x-other': secret } },
      request: { body: secret },
      code: 'ERR_BAD_RESPONSE',
    }),
  }),
  'a header named as such': (secret) => ({ headers: { authorization: `Bearer ${secret}` } }),
  'a header of another maker': (secret) => ({ headers: { 'x-api-key': secret } }),
  'a field named key': (secret) => ({ channel: { key: secret } }),
  'a text among others': (secret) => ({ note: `the key ${secret} was refused` }),
  'JSON inside a text': (secret) => ({ body: JSON.stringify({ api_key: secret, model: 'm' }) }),
  'a cause of our own errors': (secret) => ({
    err: new AppError('upstream_failed', {}, { cause: new Error(secret) }),
  }),
};

describe('the log does not contain', () => {
  for (const [what, secret] of Object.entries(SECRETS))
    for (const [where, facts] of Object.entries(WAYS))
      it(`${what} from ${where}`, () => {
        const [line = ''] = linesOf((log) => log.error(facts(secret), 'it failed'));
        expect(line).not.toContain(secret);
        expect(line).not.toContain(secret.slice(0, -3));
        expect(JSON.parse(line)).toMatchObject({ msg: 'it failed', level: 50 });
      });

  it.each([
    ['postgres://gateway:hunter22@db:5432/site', 'hunter22'],
    [
      'https://generativelanguage.googleapis.com/v1beta/models?key=plainlookingkey123',
      'plainlooking',
    ],
    ['https://api.example/cb?code=4f5e6d7c8b&state=abcdef123', '4f5e6d7c8b'],
    ['https://x.example/?a=b&access_token=0123456789abcdef', '0123456789abcdef'],
    ['https://s3.example/o?X-Amz-Signature=0a1b2c3d4e5f', '0a1b2c3d4e5f'],
    ['cookie: gateway_session=u1.9f8e7d6c5b; theme=dark', '9f8e7d6c5b'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA'],
    ['{"client_secret":"not-a-known-form-1"}', 'not-a-known-form-1'],
    ['password=correcthorse&user=a', 'correcthorse'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----', 'MIIEvQIBADANBg'],
  ])('the secret in %s', (text, secret) => {
    const lines = linesOf((log) => {
      log.warn({ err: new Error(`it said: ${text}`) }, 'an answer');
      log.warn({ text }, `an answer: ${text}`);
    });
    for (const line of lines) {
      expect(line).not.toContain(secret);
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });
});

it('leaves facts without secrets unchanged', () => {
  const facts = {
    request_id: '20261121120000000000001AbCdEfGh',
    url: 'http://127.0.0.1:3000',
    database: 'postgres://gateway@db/site',
    model: 'sk-small',
    code: 'upstream_failed',
    tookMs: 12,
    quota: 500,
  };
  const [line = ''] = linesOf((log) => log.info(facts, 'call'));
  expect(JSON.parse(line)).toMatchObject(facts);
});

it('logs the type, message, stack, code and causes of an error', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    port: 1,
  });
  const [line = ''] = linesOf((log) =>
    log.error({ err: new AppError('upstream_failed', {}, { cause: refused }) }, 'x'),
  );
  expect(JSON.parse(line).err).toMatchObject({
    type: 'AppError',
    code: 'upstream_failed',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'Error', code: 'ECONNREFUSED', syscall: 'connect', port: 1 },
  });
});

it('writes readable lines to a terminal', () => {
  const [started = '', failed = ''] = linesOf((log) => {
    log.info({ url: 'http://127.0.0.1:3000', note: 'two words', count: 2 }, 'serving');
    log.error({ err: new TypeError('no such thing') }, 'it failed');
  }).map(readableLine);
  expect(started).toMatch(
    /^\d\d:\d\d:\d\d info serving url=http:\/\/127\.0\.0\.1:3000 note="two words" count=2\n$/,
  );
  expect(failed).toMatch(/^\S+ error it failed\n {2}TypeError: no such thing\n {2,}at /);
  expect(readableLine('no entry\n')).toBe('no entry\n');
});
