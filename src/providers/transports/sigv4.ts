/**
 * AWS Signature Version 4 for services other than S3: docs.aws.amazon.com, "Create a signed AWS API
 * request". Pure: the same request at the same time has the same signature.
 */
import { createHash, createHmac } from 'node:crypto';
import type { AwsSigningKey } from '../../domain/channels/cloud-keys.ts';
import type { HeaderLines } from './transport.ts';

export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** With the port where it is not the scheme's own. */
  readonly host: string;
  /** Path and query as they are sent, encoded. */
  readonly path: string;
  /** More headers that the signature is to cover; names in lower case. */
  readonly headers?: HeaderLines;
  readonly body: string | Buffer;
  /** Epoch milliseconds; AWS takes requests for some minutes around it. */
  readonly atMs: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers to be added to the request. */
export function signedHeaders(
  key: AwsSigningKey,
  scope: SigningScope,
  request: UnsignedRequest,
): HeaderLines {
  const { accessKeyId, sessionToken } = key;
  const stamp = stampOf(request.atMs);
  const token: HeaderLines =
    sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
  const own: HeaderLines = { 'x-amz-date': stamp, ...token };
  const lines = Object.entries({ ...request.headers, host: request.host, ...own })
    .map(([name, value]) => [name, value.trim().replaceAll(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = lines.map(([name]) => name).join(';');
  const [path = '', query = ''] = request.path.split('?', 2);
  const canonical = [
    request.method,
    canonicalPath(path),
    canonicalQuery(query),
    ...lines.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body),
  ].join('\n');
  const place = `${stamp.slice(0, 8)}/${scope.region}/${scope.service}/aws4_request`;
  const text = [ALGORITHM, stamp, place, sha256(canonical)].join('\n');
  const signature = hmac(signingKey(key, scope, stamp), text).toString('hex');
  const credential = `Credential=${accessKeyId}/${place}`;
  return {
    ...own,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** ISO 8601 in its short form, in seconds. */
function stampOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function signingKey(
  { secretKey }: AwsSigningKey,
  { region, service }: SigningScope,
  stamp: string,
): Buffer {
  const parts = [stamp.slice(0, 8), region, service, 'aws4_request'];
  return parts.reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secretKey}`));
}

/** What is sent encoded is encoded once more: `a:0` travels as `a%3A0` and is signed as `a%253A0`. */
function canonicalPath(path: string): string {
  return path.split('/').map(encoded).join('/');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')].map((part) => encoded(decodeURIComponent(part)));
    })
    .toSorted(byNameThenValue)
    .map((pair) => pair.join('='))
    .join('&');
}

/** Not as joined texts: `a-b=` would stand before `a=`. */
function byNameThenValue(one: readonly string[], other: readonly string[]): number {
  const [a = '', b = ''] = one[0] === other[0] ? [one[1], other[1]] : [one[0], other[0]];
  return a < b ? -1 : Number(a > b);
}

/** RFC 3986: everything but letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
