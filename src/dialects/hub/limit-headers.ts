/** The state of the strictest limit of a kind. */
export interface LimitState {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly left: number;
  /** Time until the limit is fully available again; if rejected, until it has capacity. */
  readonly resetMs: number;
}

/** Builds the headers that report a limit. */
export type LimitHeaders = (state: LimitState, nowMs: number) => Readonly<Record<string, string>>;
