/** Vendors' access checks: access tokens issued for a key, and signatures over the body. */
import { createHash, createHmac } from 'node:crypto';
import type { Recorded } from '../record.ts';
import { headerText } from '../record.ts';

const ACCESS_TOKEN = '24.fake-access-token.2592000';

/** The response to a token request; the secret must be an accepted key. */
export function tokenFor(query: string, keys: ReadonlySet<string> | undefined): object {
  const params = new URLSearchParams(query);
  const isGranted = params.get('grant_type') === 'client_credentials';
  if (isGranted && (keys?.has(params.get('client_secret') ?? '') ?? true))
    return { access_token: ACCESS_TOKEN, expires_in: 2_592_000, session_key: '', scope: 'public' };
  return { error: 'invalid_client', error_description: 'Client authentication failed' };
}

export function hasToken(query: string): boolean {
  return new URLSearchParams(query).get('access_token') === ACCESS_TOKEN;
}

/**
 * Whether the TC3 signature matches the received request; the secret key must be an accepted key.
 */
export function isSigned(
  { headers, body }: Recorded,
  keys: ReadonlySet<string> | undefined,
): boolean {
  const authorization = headers.authorization ?? '';
  const [, date = '', signed = '', signature = ''] =
    /^TC3-HMAC-SHA256 Credential=[^/]+\/([\d-]+)\/hunyuan\/tc3_request, SignedHeaders=([a-z;-]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const timestamp = headerText(headers, 'x-tc-timestamp') ?? '';
  if (new Date(Number(timestamp) * 1000).toISOString().slice(0, 10) !== date) return false;
  const lines = signed
    .split(';')
    .map((name) => `${name}:${(headerText(headers, name) ?? '').toLowerCase()}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${signed}\n${hashOf(body)}`;
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${date}/hunyuan/tc3_request\n${hashOf(canonical)}`;
  return [...(keys ?? [])].some((key) => {
    const dated = createHmac('sha256', `TC3${key}`).update(date).digest();
    const service = createHmac('sha256', dated).update('hunyuan').digest();
    const secret = createHmac('sha256', service).update('tc3_request').digest();
    return createHmac('sha256', secret).update(text).digest('hex') === signature;
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
