/** Messages between `password-thread.ts` and its thread. */
export interface ScryptCost {
  readonly log2n: number;
  readonly r: number;
  readonly p: number;
}

export type PasswordWork =
  | {
      readonly kind: 'scrypt';
      readonly password: string;
      readonly salt: Uint8Array;
      readonly cost: ScryptCost;
      readonly keyBytes: number;
    }
  | { readonly kind: 'bcrypt'; readonly password: string; readonly stored: string };

export interface PasswordJob {
  readonly id: number;
  readonly work: PasswordWork;
}

export interface PasswordReply {
  readonly id: number;
  /** The key for scrypt; for bcrypt whether the password is correct; or the error. */
  readonly result: Uint8Array | boolean | Error;
}
