/**
 * Cache of access tokens obtained with channel keys, per process. A token is used until five
 * minutes before it expires, and concurrent calls without a token share one request for it.
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

/** How a token is fetched: through the channel's own connection, including its proxy. */
export interface TokenSource {
  readonly nowMs: number;
  /** Google's token endpoint. */
  readonly tokenUrl: string;
  send(request: TokenRequest): Promise<{ readonly status: number; readonly text: string }>;
}

export interface TokenRequest {
  readonly method: 'POST';
  readonly url: { readonly origin: string; readonly path: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
}

/** The provider refused the account itself, so every call with this key fails the same way. */
export class TokenRequestFailed extends Error {
  readonly upstream: UpstreamError;

  constructor(upstream: UpstreamError) {
    super(upstream.message);
    this.name = 'TokenRequestFailed';
    this.upstream = upstream;
  }
}

export interface AccessToken {
  readonly value: string;
  readonly endsAtMs: number;
}

const MOST_TOKENS = 1_000;
const EARLY_MS = 5 * 60_000;

/** Timeout of the token request alone, not of the call that needs it. */
export const TOKEN_TIMEOUT_MS = 10_000;

const tokens = boundedMap<string, AccessToken>(MOST_TOKENS);
const underWay = new Map<string, Promise<AccessToken>>();

/** `name` identifies the key and the token issuer, and contains no secret. @throws as `send`. */
export async function keptToken(
  name: string,
  nowMs: number,
  send: () => Promise<AccessToken>,
): Promise<string> {
  const known = tokens.get(name);
  if (known !== undefined && known.endsAtMs - EARLY_MS > nowMs) return known.value;
  const running = underWay.get(name) ?? fetchToken(name, send);
  underWay.set(name, running);
  return (await running).value;
}

/** Removes a token that the upstream rejects before it expires. */
export function dropToken(name: string): void {
  tokens.delete(name);
}

async function fetchToken(name: string, send: () => Promise<AccessToken>): Promise<AccessToken> {
  try {
    const token = await send();
    tokens.set(name, token);
    return token;
  } finally {
    underWay.delete(name);
  }
}
