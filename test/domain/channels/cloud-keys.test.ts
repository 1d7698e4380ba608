import { expect, test } from 'vitest';
import {
  keyProblem,
  readAwsKey,
  readServiceAccount,
  secretPartsOf,
} from '../../../src/domain/channels/cloud-keys.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n';
const ACCOUNT = { project_id: 'p-1', client_email: 'g@p-1.iam', private_key: PEM };

test.each([
  ['AKIA1|secret/+|us-east-1', '', ['AKIA1', 'secret/+', undefined, 'us-east-1']],
  ['AKIA1 | secret | eu-west-3 ', 'us-east-1', ['AKIA1', 'secret', undefined, 'eu-west-3']],
  ['AKIA1|secret', 'ap-southeast-2', ['AKIA1', 'secret', undefined, 'ap-southeast-2']],
  ['ASIA1|secret|us-gov-west-1|session', '', ['ASIA1', 'secret', 'session', 'us-gov-west-1']],
  ['ASIA1|secret|session', 'us-east-1', ['ASIA1', 'secret', 'session', 'us-east-1']],
])('reads the signing key %s', (text, other, [accessKeyId, secretKey, sessionToken, region]) => {
  expect(readAwsKey(text, other ?? '')).toEqual({
    kind: 'signing',
    accessKeyId,
    secretKey,
    region,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
});

test.each([
  ['bedrock-api-key', 'us-east-1', 'us-east-1'],
  ['bedrock-api-key|eu-central-1', 'us-east-1', 'eu-central-1'],
])('reads the API key %s', (text, other, region) => {
  expect(readAwsKey(text, other)).toEqual({ kind: 'bearer', apiKey: 'bedrock-api-key', region });
});

test.each(['', '|', 'AKIA1|', '|secret|us-east-1', 'a|b|c|d|e', '{"a":"b"}'])(
  'refuses "%s" as an AWS key',
  (text) => {
    expect(readAwsKey(text, 'us-east-1')).toBe(undefined);
    expect(keyProblem(33, text, 'us-east-1')).toEqual({ word: 'awsParts' });
  },
);

test('an AWS key needs a region', () => {
  expect(keyProblem(33, 'AKIA1|secret', '')).toEqual({ word: 'awsRegion' });
  expect(keyProblem(33, 'AKIA1|secret', 'moon')).toEqual({ word: 'awsRegion' });
  expect(keyProblem(33, 'AKIA1|secret', 'us-east-1')).toBe(undefined);
  expect(keyProblem(33, 'AKIA1|secret|us-east-1', '')).toBe(undefined);
});

test('accepts escaped line breaks in a private key', () => {
  const private_key = PEM.replaceAll('\n', '\\n');
  const account = readServiceAccount(JSON.stringify({ ...ACCOUNT, private_key }));
  expect(account?.privateKey).toBe(PEM.trim());
});

test.each([
  ['{"project_id"', { word: 'json' }],
  ['{}', { word: 'missing', field: 'project_id' }],
  [
    { ...ACCOUNT, client_email: 7 },
    { word: 'missing', field: 'client_email' },
  ],
  [
    { ...ACCOUNT, private_key: '' },
    { word: 'missing', field: 'private_key' },
  ],
  [
    { ...ACCOUNT, private_key: 'abc' },
    { word: 'pem', field: 'private_key' },
  ],
  [
    { ...ACCOUNT, token_uri: 'https://evil.example/token' },
    { word: 'tokenUri', field: 'token_uri' },
  ],
  [{ ...ACCOUNT, token_uri: 'https://oauth2.googleapis.com/token' }, undefined],
  [ACCOUNT, undefined],
  ['AIzaSyExpress', undefined],
])('reports the fault in %j', (key, problem) => {
  const text = typeof key === 'string' ? key : JSON.stringify(key);
  expect(keyProblem(41, text, 'us-central1')).toEqual(problem);
});

test('does not check keys of other types', () => {
  expect(keyProblem(1, '{"odd":', '')).toBe(undefined);
});

test('every part of a key is a secret, except its region', () => {
  expect(secretPartsOf('AKIA1|secret|us-east-1')).toEqual([
    'AKIA1|secret|us-east-1',
    'AKIA1',
    'secret',
  ]);
  expect(secretPartsOf(JSON.stringify(ACCOUNT))).toContain(PEM.trim());
});
