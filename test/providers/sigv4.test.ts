/**
 * Vectors published by AWS: the requests of its "Signature Version 4 Test Suite" and the example of
 * its documentation (`ListUsers`). The last two were signed by the AWS SDK for Python.
 */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { signedHeaders } from '../../src/providers/transports/sigv4.ts';

const KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const AT_MS = Date.UTC(2015, 7, 30, 12, 36, 0);
const SUITE = { region: 'us-east-1', service: 'service' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const UNRESERVED = '/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const sha256 = (body: string) => createHash('sha256').update(body).digest('hex');
const NO_BODY = sha256('');

function signatureOf(headers: Readonly<Record<string, string>>): string | undefined {
  return headers.authorization?.split('Signature=')[1];
}

test.each([
  ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    'GET',
    '/?Param2=value2&Param1=value1',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-order-value',
    'GET',
    '/?Param1=value2&Param1=value1',
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ],
  [
    'get-unreserved',
    'GET',
    UNRESERVED,
    '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
  ],
])('signs %s as published', (_name, method, path, signature) => {
  const request = { method, path, host: 'example.amazonaws.com', bodySha256: NO_BODY, atMs: AT_MS };
  expect(signedHeaders(KEY, SUITE, request)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  });
});

test('signs a body and further headers, with runs of blanks collapsed', () => {
  const request = { method: 'POST', path: '/', host: 'example.amazonaws.com', atMs: AT_MS };
  const form = signedHeaders(KEY, SUITE, {
    ...request,
    headers: FORM,
    bodySha256: sha256('Param1=value1'),
  });
  expect(signatureOf(form)).toBe(
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  );
  expect(form.authorization).toContain('SignedHeaders=content-type;host;x-amz-date,');
  const headers = { 'my-header1': ' value1', 'my-header2': ' "a   b   c"' };
  const trimmed = signedHeaders(KEY, SUITE, {
    ...request,
    method: 'GET',
    headers,
    bodySha256: NO_BODY,
  });
  expect(signatureOf(trimmed)).toBe(
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  );
});

test('signs the example of the documentation', () => {
  const signed = signedHeaders(
    KEY,
    { region: 'us-east-1', service: 'iam' },
    {
      method: 'GET',
      path: '/?Action=ListUsers&Version=2010-05-08',
      host: 'iam.amazonaws.com',
      headers: { 'content-type': `${FORM['content-type']}; charset=utf-8` },
      bodySha256: NO_BODY,
      atMs: AT_MS,
    },
  );
  expect(signatureOf(signed)).toBe(
    '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
  );
});

test('sorts a query by names, even if one name begins with another', () => {
  const request = {
    method: 'GET',
    host: 'example.amazonaws.com',
    bodySha256: NO_BODY,
    atMs: AT_MS,
  };
  const [one, other] = ['/?a=1&a-b=2', '/?a-b=2&a=1'].map((path) =>
    signatureOf(signedHeaders(KEY, SUITE, { ...request, path })),
  );
  expect(one).toBe(other);
  expect(one).toBe('321dff75bd2a219c1b95fc5dbc497343614dbe8f73319c9d9c415bca43078ce2');
});

test('encodes encoded paths again before signing, and signs the session token', () => {
  const scope = { region: 'us-east-1', service: 'bedrock' };
  const host = 'bedrock-runtime.us-east-1.amazonaws.com';
  const request = { method: 'POST', host, bodySha256: sha256('{"a":1}'), atMs: AT_MS };
  const invoke = signedHeaders({ ...KEY, sessionToken: 'SESSION+TOKEN/=' }, scope, {
    ...request,
    path: '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke',
  });
  expect(invoke['x-amz-security-token']).toBe('SESSION+TOKEN/=');
  expect(signatureOf(invoke)).toBe(
    'eccb319608d4a08b21b7c0a2fa0685b49b283b088a466dbde0fbac8dacbbb64e',
  );
  const path = '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/converse';
  expect(signatureOf(signedHeaders(KEY, scope, { ...request, path }))).toBe(
    '52230d91536f31e1f83b016ea3eb2f0ae0a159b4f146ccd612d63e8b82de42b8',
  );
});
