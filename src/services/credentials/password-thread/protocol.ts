/** The jobs of the thread that hashes passwords. */
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
