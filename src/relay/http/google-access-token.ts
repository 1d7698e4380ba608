/** Access tokens of Google service accounts. */
import type { ServiceAccount } from '../../domain/channels/cloud-keys.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { numberIn, parseJson, textIn } from '../../json/read-json.ts';
import { accountDigest, tokenForm } from '../../providers/transports/google-assertion.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import {
  type AccessToken,
  dropToken,
  keptToken,
  TOKEN_TIMEOUT_MS,
  TokenRequestFailed,
  type TokenSource,
} from './access-token-cache.ts';

/** @throws TokenRequestFailed, AppError upstream_failed, upstream_garbled, upstream_timeout, channel_unusable. */
export function googleToken(account: ServiceAccount, source: TokenSource): Promise<string> {
  const ask = () => requestToken(account, source);
  return keptToken(nameOf(account, source.tokenUrl), source.nowMs, ask);
}

export function dropGoogleToken(account: ServiceAccount, tokenUrl: string): void {
  dropToken(nameOf(account, tokenUrl));
}

function nameOf(account: ServiceAccount, tokenUrl: string): string {
  return `${tokenUrl} ${accountDigest(account)}`;
}

async function requestToken(account: ServiceAccount, source: TokenSource): Promise<AccessToken> {
  const url = new URL(source.tokenUrl);
  const { status, text } = await source.send({
    method: 'POST',
    url: { origin: url.origin, path: url.pathname + url.search },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: tokenForm(account, Math.floor(source.nowMs / 1000)),
    timeoutMs: TOKEN_TIMEOUT_MS,
  });
  const json = parseJson(text);
  if (status >= 400 && status < 500 && status !== 429) throw refused(json);
  if (status !== 200) throw new AppError('upstream_failed');
  const value = textIn(json, 'access_token');
  if (value === undefined) throw new AppError('upstream_garbled');
  const lifetimeSec = numberIn(json, 'expires_in') ?? 0;
  return { value, endsAtMs: source.nowMs + lifetimeSec * 1000 };
}

/** Google's error message for a clock difference, which is not a fault of the key. */
const WRONG_CLOCK = /reasonable timeframe|iat and exp/i;

/** Passes on only the code and the description that RFC 6749 5.2 defines. */
function refused(json: unknown): Error {
  const [code = 'invalid_grant', sentence = ''] = ['error', 'error_description'].map((name) =>
    textIn(json, name),
  );
  if (WRONG_CLOCK.test(sentence))
    return new AppError('upstream_failed', {}, { cause: new Error(sentence) });
  const message = `Google refused the service account: ${[code, sentence].filter(Boolean).join(': ')}`;
  const bodyText = JSON.stringify({ error: { message, type: 'authentication_error', code } });
  return new TokenRequestFailed(
    readUpstreamError({ status: 401, headers: {}, bodyText, nowMs: 0 }),
  );
}
