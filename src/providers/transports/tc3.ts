/**
 * Tencent's TC3-HMAC-SHA256 signature for requests of its cloud API
 * (cloud.tencent.com/document/api/1729/101842). The signed body must be sent byte for byte.
 */
import { createHash, createHmac } from 'node:crypto';
import type { HeaderLines, Tc3Credentials } from './transport.ts';

export interface Tc3Call {
  readonly host: string;
  /** Hexadecimal. */
  readonly bodySha256: string;
  readonly atMs: number;
}

const SIGNED = 'content-type;host;x-tc-action';

/** All required headers except `host`. */
export function tc3Headers(credentials: Tc3Credentials, call: Tc3Call): HeaderLines {
  const atSec = Math.floor(call.atMs / 1000);
  return {
    'content-type': 'application/json',
    'x-tc-action': credentials.action,
    'x-tc-version': credentials.version,
    'x-tc-timestamp': String(atSec),
    authorization: authorization(credentials, call, atSec),
  };
}

function authorization(
  { secretId, secretKey, service, action }: Tc3Credentials,
  { host, bodySha256 }: Tc3Call,
  atSec: number,
): string {
  const date = new Date(atSec * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const headers = `content-type:application/json\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const canonical = ['POST', '/', '', headers, SIGNED, bodySha256].join('\n');
  const text = ['TC3-HMAC-SHA256', String(atSec), scope, sha256(canonical)].join('\n');
  const signingKey = [date, service, 'tc3_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`TC3${secretKey}`),
  );
  const signature = hmac(signingKey, text).toString('hex');
  return `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`;
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(secret: Buffer, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
