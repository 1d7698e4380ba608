/**
 * Tokens that keys are changed for, per process: each is used until five minutes before its end, and
 * of many calls that find none, one fetches it for all.
 */
import { boundedMap } from '../../domain/bounded-map.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

/** How a token is fetched: the way to it is the channel's, its proxy included. */
export interface TokenSource {
  readonly nowMs: number;
  /** Where Google gives tokens. */
  readonly tokenUrl: string;
  ask(question: TokenQuestion): Promise<{ readonly status: number; readonly text: string }>;
}

export interface TokenQuestion {
  readonly method: 'POST';
  readonly url: { readonly origin: string; readonly path: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly patienceMs: number;
}

/** The account itself was refused: every call with this key fails alike. */
export class TokenRefused extends Error {
  readonly upstream: UpstreamError;

  constructor(upstream: UpstreamError) {
    super(upstream.message);
    this.name = 'TokenRefused';
    this.upstream = upstream;
  }
}

export interface Token {
  readonly value: string;
  readonly endsAtMs: number;
}

const MOST_TOKENS = 1_000;
const EARLY_MS = 5 * 60_000;

/** For the question alone, not for the call behind it. */
export const TOKEN_PATIENCE_MS = 10_000;

const tokens = boundedMap<string, Token>(MOST_TOKENS);
const underWay = new Map<string, Promise<Token>>();

/** `name`: of the key and of who gives the token, with no secret in it. @throws as `ask`. */
export async function keptToken(
  name: string,
  nowMs: number,
  ask: () => Promise<Token>,
): Promise<string> {
  const known = tokens.get(name);
  if (known !== undefined && known.endsAtMs - EARLY_MS > nowMs) return known.value;
  const running = underWay.get(name) ?? fetchToken(name, ask);
  underWay.set(name, running);
  return (await running).value;
}

/** For a token that is no longer taken though its time has not come. */
export function dropToken(name: string): void {
  tokens.delete(name);
}

async function fetchToken(name: string, ask: () => Promise<Token>): Promise<Token> {
  try {
    const token = await ask();
    tokens.set(name, token);
    return token;
  } finally {
    underWay.delete(name);
  }
}
