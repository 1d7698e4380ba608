/**
 * Signatures travel through clients that know one vendor's only. A foreign one is packed, so that it
 * comes back with its origin; the form is base64, as some SDKs decode the field.
 */
import type { Signature } from './blocks.ts';
import type { Vendor } from './extras.ts';

/** Nine bytes are twelve characters of base64 exactly: a packed value can be told by its beginning. */
const MARK = 'gateway1:';
const PACKED_MARK = Buffer.from(MARK).toString('base64');

/** A signature that must come back though most clients have no field for it. */
export function signatureToKeep(signature: Signature | undefined): string | undefined {
  return signature?.origin === 'gemini' ? signature.value : undefined;
}

/** For the signature field of a dialect of `family`. */
export function packSignature({ origin, value }: Signature, family: Vendor): string {
  if (origin === family) return value;
  return Buffer.from(`${MARK}${origin}:${value}`).toString('base64');
}

/** What such a field holds. */
export function unpackSignature(field: string, family: Vendor): Signature {
  if (!field.startsWith(PACKED_MARK)) return { origin: family, value: field };
  const [origin = '', ...value] = Buffer.from(field, 'base64')
    .toString('utf8')
    .slice(MARK.length)
    .split(':');
  return isOrigin(origin) ? { origin, value: value.join(':') } : { origin: family, value: field };
}

function isOrigin(text: string): text is Vendor {
  return text === 'openai' || text === 'anthropic' || text === 'gemini';
}
