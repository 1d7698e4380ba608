export interface UpstreamError {
  /** As it came, before any mapping; for an error inside a 200 the status it stands for. */
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly param: string;
  readonly retryAfterMs?: number;
  /** Another channel may do better: `shouldRetry` of the status, or an account's trouble told as 400. */
  readonly retryable: boolean;
  /** The error itself says that the key is of no more use, by status, code or type. */
  readonly disablesKey: boolean;
}
