export interface UpstreamError {
  /**
   * The original status, before any mapping; for an error inside a 200, the status it corresponds
   * to.
   */
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly retryAfterMs?: number;
  /**
   * Whether another channel may succeed: `shouldRetry` of the status, or an account problem
   * reported as 400.
   */
  readonly retryable: boolean;
  /** Whether the error itself, by status, code or type, means that the key no longer works. */
  readonly disablesKey: boolean;
}
