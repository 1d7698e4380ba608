export interface UpstreamError {
  /** The original status, before any mapping; for an error inside a 200, its equivalent. */
  readonly status: number;
  /** '' if the upstream gave none. */
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly retryAfterMs?: number;
  /** Whether another channel may succeed: by `shouldRetry`, or an account problem sent as 400. */
  readonly retryable: boolean;
  /** Whether the error itself, by status, code or type, means that the key no longer works. */
  readonly disablesKey: boolean;
  /** The failure depends on the call: other calls of the channel are not affected. */
  readonly concernsCall?: true;
}
