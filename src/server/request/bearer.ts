/** Authentication of operator tools by a secret from the configuration. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { SecretValue } from '../../config.ts';

/** False if no secret is set. Compares in constant time. */
export function isBearer(authorization: string | undefined, secret: SecretValue): boolean {
  const wanted = secret.open();
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (wanted === '' || shown === undefined) return false;
  return timingSafeEqual(digest(shown), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
