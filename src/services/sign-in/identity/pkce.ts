/** Proof Key for Code Exchange (RFC 7636): whoever stole a code cannot use it. */
import { createHash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { Proofs } from './sign-in-state.ts';

export function newProofs({ random }: Pick<Context, 'random'>): Proofs {
  return {
    verifier: random(32).toString('base64url'),
    nonce: random(32).toString('base64url'),
  };
}

/** What goes along to the authorization page. */
export function challengeOf({ verifier }: Proofs) {
  return {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
}

/** What goes along with the code; nothing where the client began without a challenge. */
export function proofFields(proofs: Proofs | undefined): Readonly<Record<string, string>> {
  return proofs === undefined ? {} : { code_verifier: proofs.verifier };
}
