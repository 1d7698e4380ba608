import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { affectedBy } from '../../src/relay/routing/outcome-rules.ts';
import { mapStatus, shouldDisable, shouldRetry } from '../../src/upstream-errors/error-policy.ts';
import {
  errorInSuccess,
  readRetryAfter,
  readUpstreamError,
} from '../../src/upstream-errors/read-upstream-error.ts';
import { occursIn } from '../../src/upstream-errors/repeated-text.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

function read(status: number, bodyText: string, headers: Record<string, string> = {}) {
  return readUpstreamError({ status, headers, bodyText, nowMs: NOW_MS });
}

const SHAPES: readonly (readonly [string, string, string])[] = [
  ['OpenAI', '{"error":{"message":"no","type":"t","param":"p","code":"c"}}', 'no'],
  ['a text as error', '{"error":"no"}', 'no'],
  ['a message inside a message', '{"error":{"message":{"message":"no"}}}', 'no'],
  ['a bare message', '{"message":"no","code":"InvalidParameter","request_id":"r"}', 'no'],
  ['msg', '{"code":400,"msg":"no"}', 'no'],
  ['err', '{"err":"no"}', 'no'],
  ['a list of errors', '{"success":false,"errors":[{"code":7003,"message":"no"}]}', 'no'],
  ['Baidu', '{"error_code":336,"error_msg":"no"}', 'no'],
  ['MiniMax', '{"base_resp":{"status_code":1002,"status_msg":"no"}}', 'no'],
  ['Tencent', '{"Response":{"Error":{"Code":"X","Message":"no"}}}', 'no'],
  ['iFlytek', '{"header":{"code":11200,"message":"no"}}', 'no'],
  ['a detail', '{"detail":"no"}', 'no'],
  ['a FastAPI list', '{"detail":[{"loc":["body","n"],"msg":"no","type":"x"}]}', 'body.n: no'],
  [
    'an array around it',
    '[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]',
    'no',
  ],
  ['vLLM', '{"object":"error","message":"no","type":"BadRequestError","code":400}', 'no'],
  ['an event', 'event: error\ndata: {"error":{"message":"no"}}\n\ndata: [DONE]\n\n', 'no'],
  [
    'a web page',
    '<!DOCTYPE html><html><head><title>502\n Bad gateway</title></head><body>x</body></html>',
    '502 Bad gateway',
  ],
  ['plain text', 'upstream\n  connect error', 'upstream connect error'],
  ['a JSON text', '"no"', 'no'],
  ['nothing', '', ''],
  ['an empty object', '{}', ''],
  ['a page without title', '<html></html>', ''],
];

test.each(SHAPES)('reads an error in the shape of %s', (_name, bodyText, message) => {
  expect(read(418, bodyText).message).toBe(message);
});

test('keeps type, code and param, and supplies missing ones', () => {
  expect(read(400, SHAPES[0]?.[1] ?? '')).toMatchObject({
    status: 400,
    type: 't',
    code: 'c',
    param: 'p',
  });
  expect(read(502, '')).toMatchObject({
    type: 'upstream_error',
    code: 'bad_gateway',
    param: '502',
  });
  // An HTTP status is not an error code.
  expect(read(429, '{"error":{"code":429,"message":"x"}}').code).toBe('rate_limit_exceeded');
  expect(read(418, '').code).toBe('bad_response_status_code');
  expect(read(402, '').disablesKey).toBe(false);
  expect(read(400, '{"error":{"code":1113,"message":"x"}}')).toMatchObject({
    code: '1113',
    param: '',
  });
});

test('D27 reads the message of an event in the body of a 4xx, not only its status', () => {
  expect(
    read(429, 'event:error\ndata:{"error":{"message":"busy","code":"limit"}}\n\n'),
  ).toMatchObject({
    message: 'busy',
    code: 'limit',
  });
});

test('truncates a long page', () => {
  expect(read(500, 'x'.repeat(5000)).message.length).toBeLessThan(1100);
});

test('reads the wait in milliseconds, seconds or as a date', () => {
  expect(readRetryAfter({ 'retry-after-ms': '250', 'retry-after': '9' }, NOW_MS)).toBe(250);
  expect(readRetryAfter({ 'retry-after': '2' }, NOW_MS)).toBe(2000);
  expect(readRetryAfter({ 'retry-after': '0.5' }, NOW_MS)).toBe(500);
  expect(readRetryAfter({ 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, NOW_MS)).toBe(30_000);
  expect(readRetryAfter({ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, NOW_MS)).toBe(0);
  expect(readRetryAfter({ 'retry-after': 'soon' }, NOW_MS)).toBeUndefined();
  expect(read(429, '', { 'retry-after': '3' }).retryAfterMs).toBe(3000);
  expect(read(429, '')).not.toHaveProperty('retryAfterMs');
});

describe('a response with status 200', () => {
  test.each([
    ['{"error":{"message":"x","code":402}}', 402],
    ['{"error":{"message":"x","code":"server_error"}}', 500],
    ['{"error":"x"}', 500],
    ['{"choices":[{"error":{"code":429,"message":"x"},"finish_reason":"error"}]}', 429],
    ['{"base_resp":{"status_code":1002,"status_msg":"x"},"choices":null}', 429],
    ['{"base_resp":{"status_code":2049,"status_msg":"x"}}', 401],
    ['{"base_resp":{"status_code":1999,"status_msg":"x"}}', 500],
    ['{"Response":{"Error":{"Code":"A","Message":"x"}}}', 500],
    ['{"error_code":18,"error_msg":"x"}', 500],
    ['{"header":{"code":10013,"message":"x","status":2}}', 400],
    ['{"code":11202,"message":"x","sid":"s"}', 429],
    ['{"object":"error","message":"x","code":400}', 400],
    ['{"success":false,"errors":[{"code":1,"message":"x"}]}', 500],
    ['[{"error":{"code":503,"message":"x"}}]', 503],
  ])('%s is an error of %i', (bodyText, status) => {
    expect(errorInSuccess(JSON.parse(bodyText))).toMatchObject({ status, message: 'x' });
  });

  test.each([
    '{"choices":[{"message":{"content":"hi"}}],"error":null}',
    '{"choices":[{"message":{"content":"hi"}}],"base_resp":{"status_code":0,"status_msg":""}}',
    '{"code":0,"message":"Success","sid":"s","choices":[{"message":{"content":"hi"}}]}',
    '{"code":20000,"message":"Ok","data":{"balance":"1"}}',
    '{"object":"list","data":[]}',
    '{"success":true,"result":[]}',
    '{"error_code":0}',
    '{}',
    '"text"',
    'null',
  ])('%s is not an error', (bodyText) => {
    expect(errorInSuccess(JSON.parse(bodyText))).toBeUndefined();
  });
});

test('retries only what another channel may do better', () => {
  const again = [307, 429, 500, 501, 502, 503, 401, 402, 403, 404, 409, 413, 422, 529, 301];
  const never = [200, 204, 400, 408, 504, 524];
  expect(again.filter((status) => !shouldRetry(status))).toEqual([]);
  expect(never.filter((status) => shouldRetry(status))).toEqual([]);
  expect(shouldRetry(400, 14)).toBe(true);
});

test('retries an account problem reported as a 400 on another channel', () => {
  expect(read(400, '{"error":{"message":"Your credit balance is too low"}}').retryable).toBe(true);
  expect(
    read(400, '{"error":{"message":"API key not valid. Please pass a valid API key."}}').retryable,
  ).toBe(true);
  expect(read(400, '{"error":{"message":"messages must not be empty"}}').retryable).toBe(false);
  expect(read(429, '').retryable).toBe(true);
  expect(read(504, '').retryable).toBe(false);
});

test('applies a status mapping if its target is a valid status', () => {
  const mapping = { 400: '500', 401: 503, 404: 'x', 429: '42', 200: '500' };
  expect([400, 401, 404, 429, 200, 418].map((status) => mapStatus(mapping, status))).toEqual([
    500, 503, 404, 429, 200, 418,
  ]);
});

const disables = (status: number, bodyText: string, channelType = 1, request = '') =>
  shouldDisable(read(status, bodyText), {
    channelType,
    keywords: ['Account Suspended', ' '],
    isInRequest: (phrase) => occursIn(request, phrase),
  });

test('disables a key by status, code, type or a keyword of the operator', () => {
  expect(disables(401, '')).toBe(true);
  expect(disables(403, '')).toBe(false);
  for (const code of ['invalid_api_key', 'account_deactivated', 'billing_not_active']) {
    expect(disables(400, JSON.stringify({ error: { code, message: 'x' } }))).toBe(true);
  }
  for (const type of [
    'insufficient_quota',
    'insufficient_user_quota',
    'authentication_error',
    'permission_error',
    'forbidden',
  ]) {
    expect(disables(429, JSON.stringify({ error: { type, message: 'x' } }))).toBe(true);
  }
  expect(disables(500, '{"error":{"message":"your ACCOUNT suspended today"}}')).toBe(true);
  expect(disables(429, '{"error":{"message":"slow down","type":"requests"}}')).toBe(false);
});

describe('a key is not disabled by what a caller can cause', () => {
  const suspended = '{"error":{"message":"x: account suspended"}}';

  test.each([400, 404, 405, 409, 413, 415, 422, 424])('a keyword in a %i', (status) => {
    expect(disables(status, suspended)).toBe(false);
  });

  test.each([
    ['as it is', '{"user":"the Account Suspended"}'],
    ['as a name', '{"account suspended":1}'],
    ['escaped', '{"user":"\\u0041ccount\\nsuspended"}'],
    ['escaped twice', JSON.stringify({ arguments: '{"a":"\\u0041ccount suspended"}' })],
    ['in an address', '{"url":"https://example.com/Account%20%73uspended"}'],
    ['in two fields', '{"account":"suspended"}'],
  ])('a keyword in the request %s', (_case, request) => {
    expect(disables(403, suspended, 1, request)).toBe(false);
    expect(disables(403, suspended, 1, '{"user":"account"}')).toBe(true);
  });

  test.each([
    ['You do not have permission to access the File 1a2b or it may not exist.', false],
    ['You do not have permission to access the File project or it may not exist.', false],
    ['The caller does not have permission', false],
    ['Your API key was reported as leaked. Please use another API key.', true],
    ['Your project has been denied access. Please contact support.', true],
    ["Permission denied: Consumer 'api_key:x' has been suspended.", true],
  ])('a 403 of Google: %s', (message, isDisabled) => {
    expect(disables(403, JSON.stringify({ error: { code: 403, message } }), 24)).toBe(isDisabled);
  });

  test.each([
    [403, 'permission_error', 'You do not have access to the file file_1.'],
    [429, 'insufficient_quota', 'Request too large for m: Limit 30000, Requested 52000.'],
  ])('a %i with the type %s about this call only', (status, type, message) => {
    const error = read(status, JSON.stringify({ error: { type, message } }));
    expect(error).toMatchObject({ disablesKey: false, concernsCall: true });
    expect(affectedBy(error)).toBe('nothing');
  });

  test('an event inside a text that the upstream repeats', () => {
    const event = 'data: {"error":{"code":"invalid_api_key"}}';
    expect(disables(400, event)).toBe(true);
    expect(disables(400, `unknown field: x\n${event}`)).toBe(false);
  });
});

test.each([
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  'API key not valid. Please pass a valid API key.',
])('disables a key by the whole sentence of a vendor: %s', (message) => {
  const bodyText = JSON.stringify({ error: { message } });
  expect(disables(400, bodyText)).toBe(true);
  expect(disables(400, bodyText, 1, JSON.stringify({ user: message }))).toBe(false);
  expect(disables(400, JSON.stringify({ error: { message: `x: ${message}` } }))).toBe(false);
});

test('any upstream response becomes an error with a code', () => {
  const names = [
    'error',
    'message',
    'detail',
    'errors',
    'code',
    'base_resp',
    'Response',
    'choices',
    'loc',
  ];
  const value = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      fc.constantFrom<unknown>(null, 0, 1, '', 'text', true),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4 }),
    ),
  })).tree;
  fc.assert(
    fc.property(
      fc.oneof(
        value.map((tree) => JSON.stringify(tree)),
        fc.string(),
      ),
      (bodyText) => {
        const { message, type, code, param } = read(500, bodyText);
        expect(code).not.toBe('');
        for (const text of [message, type, code, param]) expect(typeof text).toBe('string');
      },
    ),
  );
  expect(read(500, `${'{"message":'.repeat(50_000)}1${'}'.repeat(50_000)}`).code).toBe(
    'server_error',
  );
});
