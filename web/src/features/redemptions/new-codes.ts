/** Newly created codes. */
export interface Made {
  readonly name: string;
  /** Units per code. */
  readonly quota: number;
  readonly keys: readonly string[];
}
