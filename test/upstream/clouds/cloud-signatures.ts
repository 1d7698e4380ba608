/**
 * Verifies cloud credentials: AWS by a signature over the whole request, Google by an access token
 * issued for a signed assertion. Both are recomputed from the received request.
 */
import { createHash, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import * as z from 'zod/mini';
import type { Refusal } from '../plans/plan.ts';
import { headerText, type Recorded } from '../record.ts';
import type { Route } from '../route.ts';

const FIFTEEN_MINUTES_MS = 15 * 60_000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

function refuse(status: number, type: string, message: string): Refusal {
  return { status, style: 'aws', message, headers: { 'x-amzn-errortype': `${type}:http://fake/` } };
}

/** Undefined for a call signed with one of the keys (`AccessKey|SecretKey|...` or an API key). */
export function bedrockProblem(keys: readonly string[], call: Recorded): Refusal | undefined {
  const authorization = headerText(call.headers, 'authorization') ?? '';
  const bearer = /^Bearer (\S+)$/.exec(authorization)?.[1];
  if (bearer !== undefined) {
    const isKnown = keys.some((key) => key.split('|')[0] === bearer);
    return isKnown ? undefined : refuse(403, 'AccessDeniedException', 'Authentication failed');
  }
  const [, accessKey, day = '', region = '', service = '', names = '', signature] =
    AUTHORIZATION.exec(authorization) ?? [];
  if (accessKey === undefined)
    return refuse(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  const parts = keys.map((key) => key.split('|')).find(([known]) => known === accessKey);
  if (parts === undefined) {
    const message = 'The security token included in the request is invalid.';
    return refuse(403, 'UnrecognizedClientException', message);
  }
  const [, secret = '', third, fourth] = parts;
  const stamp = headerText(call.headers, 'x-amz-date') ?? '';
  const token = [third, fourth].find((part) => part !== undefined && part.length > 20);
  const isWhole =
    service === 'bedrock' &&
    stamp.startsWith(day) &&
    isRecent(stamp) &&
    names.split(';').includes('host') &&
    headerText(call.headers, 'x-amz-security-token') === token &&
    (token === undefined || names.includes('x-amz-security-token'));
  const wanted = signatureOf(call, { secret, day, region, service, names, stamp });
  if (isWhole && wanted === signature) return undefined;
  const message = 'The request signature we calculated does not match the signature you provided.';
  return refuse(403, 'InvalidSignatureException', message);
}

function isRecent(stamp: string): boolean {
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return Math.abs(Date.parse(iso) - Date.now()) < FIFTEEN_MINUTES_MS;
}

interface Scope {
  readonly secret: string;
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly names: string;
  readonly stamp: string;
}

function signatureOf(call: Recorded, scope: Scope): string {
  const { secret, day, region, service, names, stamp } = scope;
  const url = new URL(call.path, 'http://fake');
  const path = url.pathname.split('/').map(strict).join('/');
  const query = [...url.searchParams].map((pair) => pair.map(strict).join('=')).toSorted();
  const lines = names.split(';').map((name) => `${name}:${headerText(call.headers, name) ?? ''}\n`);
  const request = [call.method, path, query.join('&'), lines.join(''), names, hash(call.body)];
  const credentialScope = `${day}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${stamp}\n${credentialScope}\n${hash(request.join('\n'))}`;
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of credentialScope.split('/'))
    key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex');
}

function strict(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const Account = z.looseObject({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
});
type Account = z.output<typeof Account>;

const Header = z.looseObject({ alg: z.literal('RS256'), typ: z.literal('JWT') });
const Claims = z.strictObject({
  iss: z.string(),
  scope: z.literal('https://www.googleapis.com/auth/cloud-platform'),
  aud: z.literal('https://oauth2.googleapis.com/token'),
  iat: z.int(),
  exp: z.int(),
});

const LONGEST_SEC = 3600;
const LIFETIME_SEC = 3599;

/** Issues access tokens and recognizes them. */
export class TokenOffice {
  readonly #accounts: readonly Account[];
  readonly #projects = new Map<string, string>();

  constructor(keys: readonly string[]) {
    this.#accounts = keys.flatMap((key) => {
      const read = key.startsWith('{') ? Account.safeParse(JSON.parse(key)) : undefined;
      return read?.success ? [read.data] : [];
    });
  }

  /** The response to a valid assertion (RFC 6749 5.1); undefined for any other. */
  issue(body: string): object | undefined {
    const form = new URLSearchParams(body);
    const isGrant = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const account = isGrant ? this.#accountOf(form.get('assertion') ?? '') : undefined;
    if (account === undefined) return undefined;
    const token = `ya29.${randomBytes(24).toString('base64url')}`;
    this.#projects.set(token, account.project_id);
    return { access_token: token, expires_in: LIFETIME_SEC, token_type: 'Bearer' };
  }

  /** Undefined for a call with a token for its project. */
  problem(call: Recorded, { project }: Route): Refusal | undefined {
    const authorization = headerText(call.headers, 'authorization') ?? '';
    const own = this.#projects.get(authorization.replace(/^Bearer /, ''));
    const style = 'gemini';
    if (own === undefined)
      return { status: 401, style, message: 'Request had invalid authentication credentials.' };
    const isOwn = project === undefined || project === own;
    const message = `Permission denied on resource project ${project}.`;
    return isOwn ? undefined : { status: 403, style, message };
  }

  #accountOf(assertion: string): Account | undefined {
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const authorization = Claims.safeParse(decoded(claims)).data;
    const nowSec = Date.now() / 1000;
    const isTimely =
      authorization !== undefined &&
      authorization.exp - authorization.iat <= LONGEST_SEC &&
      Math.abs(authorization.iat - nowSec) < 300;
    const account = this.#accounts.find(({ client_email }) => client_email === authorization?.iss);
    if (!isTimely || account === undefined || !Header.safeParse(decoded(header)).success)
      return undefined;
    const key = createPublicKey(account.private_key.replaceAll('\\n', '\n'));
    const text = Buffer.from(`${header}.${claims}`);
    const isSigned = verify('RSA-SHA256', text, key, Buffer.from(signature, 'base64url'));
    return isSigned ? account : undefined;
  }
}

function decoded(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    // The text is not part of a token.
    return undefined;
  }
}
