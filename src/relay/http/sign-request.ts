/**
 * Adds the credentials that depend on the request's bytes or on an access token, as the last step
 * before sending.
 */

import { signedHeaders } from '../../providers/transports/sigv4.ts';
import { tc3Headers } from '../../providers/transports/tc3.ts';
import type { RequestCredentials } from '../../providers/transports/transport.ts';
import { hashOf } from '../body/hash.ts';
import type { TokenSource } from './access-token-cache.ts';
import { baiduToken, forgetBaiduToken } from './baidu-access-token.ts';
import { forgetGoogleToken, googleToken } from './google-access-token.ts';
import type { UpstreamRequest } from './upstream-call.ts';

export interface ProvableRequest extends UpstreamRequest {
  /** The credentials to apply, or already applied. */
  readonly proof?: RequestCredentials;
}

/**
 * The request as it is sent. Call it just before sending, because a signature is valid for only a
 * few minutes.
 * @throws as `googleToken` and `baiduToken`.
 */
export async function proven<Request extends ProvableRequest>(
  request: Request,
  source: TokenSource,
): Promise<Request> {
  const { proof, method, origin, path } = request;
  if (proof === undefined) return request;
  const { host } = new URL(origin);
  switch (proof.kind) {
    case 'aws': {
      const bodySha256 = await hashOf(request.body);
      const unsigned = { method, host, path, bodySha256, atMs: source.nowMs };
      return withHeaders(request, signedHeaders(proof.key, proof, unsigned));
    }
    case 'tc3': {
      const bodySha256 = await hashOf(request.body);
      return withHeaders(request, tc3Headers(proof, { host, bodySha256, atMs: source.nowMs }));
    }
    case 'google': {
      const token = await googleToken(proof.account, source);
      return withHeaders(request, { authorization: `Bearer ${token}` });
    }
    case 'baidu': {
      const token = encodeURIComponent(await baiduToken(proof, source));
      const separator = path.includes('?') ? '&' : '?';
      return { ...request, path: `${path}${separator}access_token=${token}` };
    }
    default:
      return proof satisfies never;
  }
}

/** Removes a token from the cache that the upstream no longer accepts. */
export function forgetProof(proof: RequestCredentials | undefined, tokenUrl: string): void {
  if (proof?.kind === 'google') forgetGoogleToken(proof.account, tokenUrl);
  if (proof?.kind === 'baidu') forgetBaiduToken(proof);
}

/** Baidu: the access token is invalid, or it has expired. */
const STALE_TOKEN: ReadonlySet<string> = new Set(['110', '111']);

/** Whether the error code means only that a token was revoked before it expired. */
export function isStaleProof(proof: RequestCredentials | undefined, code: string): boolean {
  return proof?.kind === 'baidu' && STALE_TOKEN.has(code);
}

function withHeaders<Request extends ProvableRequest>(
  request: Request,
  headers: Readonly<Record<string, string>>,
): Request {
  return { ...request, headers: { ...request.headers, ...headers } };
}
