/** Proof Key for Code Exchange (RFC 7636): makes a stolen code useless. */
import { createHash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { Proofs } from './sign-in-state.ts';

export function newPkceProofs({ random }: Pick<Context, 'random'>): Proofs {
  return {
    verifier: random(32).toString('base64url'),
    nonce: random(32).toString('base64url'),
  };
}

/** Query parameters for the authorization page. */
export function pkceChallenge({ verifier }: Proofs) {
  return {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
}

/** Fields sent with the code; none if the client started without a challenge. */
export function pkceVerifierFields(proofs: Proofs | undefined): Readonly<Record<string, string>> {
  return proofs === undefined ? {} : { code_verifier: proofs.verifier };
}
