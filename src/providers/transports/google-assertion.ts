/**
 * Builds the signed assertion with which a service account requests a token from Google. The token
 * URL is fixed; the one in a key file is ignored. Source:
 * developers.google.com/identity/protocols/oauth2/service-account, "HTTP/REST".
 */
import { createHash, sign } from 'node:crypto';
import type { ServiceAccount } from '../../domain/channels/cloud-keys.ts';
import { unusableChannel } from '../../domain/errors/field-errors.ts';

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const LIFETIME_SEC = 3600;

/** The form to post. @throws AppError channel_unusable for an invalid private key. */
export function tokenForm(account: ServiceAccount, nowSec: number): string {
  const { clientEmail, privateKeyId } = account;
  const kid = privateKeyId === undefined ? {} : { kid: privateKeyId };
  const header = { alg: 'RS256', typ: 'JWT', ...kid };
  const claims = {
    iss: clientEmail,
    scope: SCOPE,
    aud: GOOGLE_TOKEN_URL,
    iat: nowSec,
    exp: nowSec + LIFETIME_SEC,
  };
  const text = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  const assertion = `${text}.${signatureOf(text, account)}`;
  return new URLSearchParams({ grant_type: GRANT, assertion }).toString();
}

function signatureOf(text: string, { privateKey }: ServiceAccount): string {
  try {
    return sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url');
  } catch (cause) {
    throw unusableChannel('private_key_unreadable', {}, cause);
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Identifies the account without revealing any of its data. */
export function accountDigest({ clientEmail, privateKey, projectId }: ServiceAccount): string {
  return createHash('sha256').update([clientEmail, projectId, privateKey].join('\n')).digest('hex');
}
