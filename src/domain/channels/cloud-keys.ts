/**
 * Parses and validates the keys of clouds that host models. The editor and the gateway validate a
 * key with it before saving, and the relay uses it when calling the cloud.
 */
import { parsedFields } from '../json-fields.ts';

export interface AwsSigningKey {
  readonly accessKeyId: string;
  readonly secretKey: string;
  /** Present for temporary credentials. */
  readonly sessionToken?: string;
}

export type AwsKey =
  | ({ readonly kind: 'signing'; readonly region: string } & AwsSigningKey)
  | { readonly kind: 'bearer'; readonly region: string; readonly apiKey: string };

const AWS_REGION = /^[a-z]{2,3}(-[a-z]+)+-\d{1,2}$/;

/** The region becomes part of a host name, so any other text is rejected. */
export function isAwsRegion(text: string): boolean {
  return AWS_REGION.test(text);
}

/**
 * Parses `AccessKey|SecretKey`, optionally followed by a session token, or a single Bedrock API
 * key. Each may be followed by a region; without one, `region`, the channel's own (possibly ''),
 * applies. Undefined when the text matches none of these.
 */
export function readAwsKey(text: string, region: string): AwsKey | undefined {
  const all = text.split('|').map((part) => part.trim());
  const own = all.findIndex((part, index) => index > 0 && AWS_REGION.test(part));
  const [first = '', secretKey, sessionToken, ...more] = all.filter((_, index) => index !== own);
  const isBlank = [first, secretKey, sessionToken].includes('');
  if (isBlank || more.length > 0 || text.trim().startsWith('{')) return undefined;
  const at = { region: all[own] ?? region.trim() };
  if (secretKey === undefined) return { kind: 'bearer', apiKey: first, ...at };
  const session = sessionToken === undefined ? {} : { sessionToken };
  return { kind: 'signing', accessKeyId: first, secretKey, ...session, ...at };
}

export interface ServiceAccount {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PEM. */
  readonly privateKey: string;
  readonly privateKeyId?: string;
}

/** The required fields of a service account. */
const ACCOUNT_FIELDS = ['project_id', 'client_email', 'private_key'] as const;

/** Undefined when the text is not the JSON of a service account. */
export function readServiceAccount(text: string): ServiceAccount | undefined {
  const json = parsedFields(text);
  const [projectId, clientEmail, privateKey] = ACCOUNT_FIELDS.map((name) => textOf(json?.[name]));
  if (!projectId || !clientEmail || !privateKey) return undefined;
  const privateKeyId = textOf(json?.private_key_id);
  return {
    projectId,
    clientEmail,
    // Line breaks copied from an environment file appear as the two characters `\n`.
    privateKey: privateKey.replaceAll('\\n', '\n').trim(),
    ...(privateKeyId === '' ? {} : { privateKeyId }),
  };
}

/** A key that is JSON is a service account; any other is an API key. */
export function isServiceAccount(text: string): boolean {
  return text.trimStart().startsWith('{');
}

export const BEDROCK = 33;
export const VERTEX = 41;

/** Why a key is invalid; `field` names the field of a service account. */
export interface KeyProblem {
  readonly word: 'awsParts' | 'awsRegion' | 'json' | 'missing' | 'pem' | 'tokenUri';
  readonly field?: string;
}

/** Undefined when the key is valid, and for types whose keys are not validated. */
export function keyProblem(type: number, key: string, other: string): KeyProblem | undefined {
  if (type === BEDROCK) return awsProblem(key, other);
  return type === VERTEX && isServiceAccount(key) ? accountProblem(key) : undefined;
}

function awsProblem(key: string, other: string): KeyProblem | undefined {
  const read = readAwsKey(key, other);
  if (read === undefined) return { word: 'awsParts' };
  return AWS_REGION.test(read.region) ? undefined : { word: 'awsRegion' };
}

/** The token addresses of Google's own tools; tokens are never requested from any other address. */
const TOKEN_URIS: readonly unknown[] = [
  undefined,
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
];

const PEM = /^-----BEGIN (RSA )?PRIVATE KEY-----[\s\S]+-----END (RSA )?PRIVATE KEY-----\s*$/;

function accountProblem(key: string): KeyProblem | undefined {
  const json = parsedFields(key);
  if (json === undefined) return { word: 'json' };
  const missing = ACCOUNT_FIELDS.find((name) => textOf(json[name]) === '');
  if (missing !== undefined) return { word: 'missing', field: missing };
  if (!TOKEN_URIS.includes(json.token_uri)) return { word: 'tokenUri', field: 'token_uri' };
  const pem = readServiceAccount(key)?.privateKey ?? '';
  return PEM.test(pem) ? undefined : { word: 'pem', field: 'private_key' };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** The parts of a key that are secret on their own; includes the key itself. */
export function secretPartsOf(key: string): readonly string[] {
  if (isServiceAccount(key)) return [key, readServiceAccount(key)?.privateKey ?? key];
  return [key, ...key.split('|').filter((part) => !AWS_REGION.test(part.trim()))];
}
