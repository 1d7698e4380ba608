/** Access tokens for Baidu's v1 API. Source: cloud.baidu.com/doc/WENXINWORKSHOP, "Access Token". */
import { createHash } from 'node:crypto';
import { numberIn, parseJson, textIn } from '../../json/read-json.ts';
import type { BaiduKey } from '../../providers/transports/transport.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import {
  type AccessToken,
  dropToken,
  keptToken,
  TOKEN_TIMEOUT_MS,
  TokenRequestFailed,
  type TokenSource,
} from './access-token-cache.ts';
import { withoutKeys } from './redact-repeated-keys.ts';

const USUAL_LIFETIME_SEC = 3600;

/** @throws TokenRequestFailed, and as `source.send`. */
export function baiduToken(key: BaiduKey, source: TokenSource): Promise<string> {
  return keptToken(nameOf(key), source.nowMs, () => requestToken(key, source));
}

export function dropBaiduToken(key: BaiduKey): void {
  dropToken(nameOf(key));
}

function nameOf({ url }: BaiduKey): string {
  return `baidu ${createHash('sha256')
    .update(url.origin + url.path)
    .digest('hex')}`;
}

async function requestToken(
  { id, secret, url }: BaiduKey,
  source: TokenSource,
): Promise<AccessToken> {
  const { status, text } = await source.send({
    method: 'POST',
    url,
    headers: { accept: 'application/json' },
    timeoutMs: TOKEN_TIMEOUT_MS,
  });
  const json = parseJson(text);
  const value = textIn(json, 'access_token');
  if (value !== undefined) {
    const lifetimeSec = numberIn(json, 'expires_in') ?? USUAL_LIFETIME_SEC;
    return { value, endsAtMs: source.nowMs + lifetimeSec * 1000 };
  }
  // Baidu reports a wrong key pair as an OAuth error with any status.
  const error = readUpstreamError({
    status: status < 400 ? 401 : status,
    headers: {},
    bodyText: text,
    nowMs: source.nowMs,
  });
  throw new TokenRequestFailed(withoutKeys(error, [{ key: id }, { key: secret }]));
}
