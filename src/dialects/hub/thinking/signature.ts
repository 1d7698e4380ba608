/**
 * Clients support only the signatures of their dialect's vendor. Signatures of other vendors are
 * packed with their origin, so that it is known when they come back. The packed form is base64,
 * because some SDKs decode the field.
 */
import type { Signature } from '../blocks.ts';
import type { Vendor } from '../extras.ts';

/** Nine bytes encode to exactly twelve base64 characters, so packed values have a fixed prefix. */
const MARK = 'gateway1:';
const PACKED_MARK = Buffer.from(MARK).toString('base64');

/** The signature to store, because it must be sent back and most clients have no field for it. */
export function signatureToKeep(signature: Signature | undefined): string | undefined {
  return signature?.origin === 'gemini' ? signature.value : undefined;
}

/** Encodes a signature for the field of a dialect of `family`. */
export function packSignature({ origin, value }: Signature, family: Vendor): string {
  if (origin === family) return value;
  return Buffer.from(`${MARK}${origin}:${value}`).toString('base64');
}

/** Decodes the signature field of a dialect of `family`. */
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
