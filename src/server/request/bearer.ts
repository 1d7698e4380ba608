/** Programs of the operator's that show a secret of the configuration. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Sealed } from '../../config.ts';

/** False where no secret is set. The time it takes tells nothing of the secret. */
export function isBearer(authorization: string | undefined, secret: Sealed): boolean {
  const wanted = secret.open();
  const shown = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (wanted === '' || shown === undefined) return false;
  return timingSafeEqual(digest(shown), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
