/** AWS Signature Version 4 by aws4. Pure: the same request at the same time has the same signature. */
import aws4 from 'aws4';
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
  /** Hexadecimal. The caller hashes the body, as it may be in pieces that are never joined. */
  readonly bodySha256: string;
  /** Epoch milliseconds; AWS takes requests for some minutes around it. */
  readonly atMs: number;
}

/** The headers to be added to the request. */
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
    // aws4 takes the hash from this header, which is not sent and so must not be signed.
    extraHeadersToIgnore: { 'x-amz-content-sha256': true },
  };
  const signed = aws4.sign(signing, { accessKeyId, secretAccessKey: secretKey });
  return { ...added, authorization: String(signed.headers?.Authorization) };
}

/** ISO 8601 in its short form, in seconds. */
function stampOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
