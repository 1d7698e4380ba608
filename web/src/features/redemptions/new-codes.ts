/** Codes that were just made. */
export interface Made {
  readonly name: string;
  /** Units each of them pays. */
  readonly quota: number;
  readonly keys: readonly string[];
}
