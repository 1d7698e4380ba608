/** AWS Signature Version 4 with aws4. Pure: the same request and time give the same signature. */
import aws4 from 'aws4';
import type { AwsSigningKey } from '../../domain/channels/cloud-keys.ts';
import type { HeaderLines } from './transport.ts';

export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

export interface UnsignedRequest {
  readonly method: string;
  /** With the port unless it is the scheme's default. */
  readonly host: string;
  /** Encoded path and query, as sent. */
  readonly path: string;
  /** Further headers that the signature covers; names in lower case. */
  readonly headers?: HeaderLines;
  /** Hexadecimal. The caller hashes the body, which may be in pieces that are never joined. */
  readonly bodySha256: string;
  /** Epoch milliseconds; AWS accepts requests within some minutes of it. */
  readonly atMs: number;
}

/** The headers to add to the request. */
export function signedHeaders(
  { accessKeyId, secretKey, sessionToken }: AwsSigningKey,
  { region, service }: SigningScope,
  { method, host, path, headers, bodySha256, atMs }: UnsignedRequest,
): HeaderLines {
  const added: HeaderLines = {
    'x-amz-date': stampOf(atMs),
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const signing = {
    ...{ method, host, path, region, service },
    headers: { ...headers, ...added, 'x-amz-content-sha256': bodySha256 },
    // aws4 reads the hash from this header, which is not sent and so must not be signed.
    extraHeadersToIgnore: { 'x-amz-content-sha256': true },
  };
  const signed = aws4.sign(signing, { accessKeyId, secretAccessKey: secretKey });
  return { ...added, authorization: String(signed.headers?.Authorization) };
}

/** ISO 8601 basic format, in seconds. */
function stampOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
