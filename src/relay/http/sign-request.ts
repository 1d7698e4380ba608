/**
 * Adds the credentials that depend on the request's bytes or on an access token, as the last step
 * before sending.
 */

import type { Awaitable } from '../../domain/awaitable.ts';
import { signedHeaders } from '../../providers/transports/sigv4.ts';
import { tc3Headers } from '../../providers/transports/tc3.ts';
import type { RequestCredentials } from '../../providers/transports/transport.ts';
import type { TokenSource } from './access-token-cache.ts';
import { baiduToken, dropBaiduToken } from './baidu-access-token.ts';
import { hashOf } from './body-hash.ts';
import { dropGoogleToken, googleToken } from './google-access-token.ts';
import type { UpstreamRequest } from './upstream-call.ts';

export interface SignableRequest extends UpstreamRequest {
  /** The credentials to apply, or already applied. */
  readonly credentials?: RequestCredentials | undefined;
}

/**
 * The request as it is sent. Call it just before sending, because a signature is valid for only a
 * few minutes.
 * @throws as `googleToken` and `baiduToken`.
 */
export function signRequest<Request extends SignableRequest>(
  request: Request,
  source: TokenSource,
): Awaitable<Request> {
  const { credentials } = request;
  return credentials === undefined ? request : signWith(credentials, request, source);
}

async function signWith<Request extends SignableRequest>(
  credentials: RequestCredentials,
  request: Request,
  source: TokenSource,
): Promise<Request> {
  const { method, origin, path } = request;
  const { host } = new URL(origin);
  switch (credentials.kind) {
    case 'aws': {
      const bodySha256 = await hashOf(request.body);
      const unsigned = { method, host, path, bodySha256, atMs: source.nowMs };
      return withHeaders(request, signedHeaders(credentials.key, credentials, unsigned));
    }
    case 'tc3': {
      const bodySha256 = await hashOf(request.body);
      return withHeaders(
        request,
        tc3Headers(credentials, { host, bodySha256, atMs: source.nowMs }),
      );
    }
    case 'google': {
      const token = await googleToken(credentials.account, source);
      return withHeaders(request, { authorization: `Bearer ${token}` });
    }
    case 'baidu': {
      const token = encodeURIComponent(await baiduToken(credentials, source));
      const separator = path.includes('?') ? '&' : '?';
      return { ...request, path: `${path}${separator}access_token=${token}` };
    }
    default:
      return credentials satisfies never;
  }
}

/** Removes a token from the cache that the upstream no longer accepts. */
export function forgetCredentials(
  credentials: RequestCredentials | undefined,
  tokenUrl: string,
): void {
  if (credentials?.kind === 'google') dropGoogleToken(credentials.account, tokenUrl);
  if (credentials?.kind === 'baidu') dropBaiduToken(credentials);
}

/** Baidu: the access token is invalid, or it has expired. */
const STALE_TOKEN: ReadonlySet<string> = new Set(['110', '111']);

/** Whether the error code means only that a token was revoked before it expired. */
export function isStaleCredentials(
  credentials: RequestCredentials | undefined,
  code: string,
): boolean {
  return credentials?.kind === 'baidu' && STALE_TOKEN.has(code);
}

function withHeaders<Request extends SignableRequest>(
  request: Request,
  headers: Readonly<Record<string, string>>,
): Request {
  return { ...request, headers: { ...request.headers, ...headers } };
}
