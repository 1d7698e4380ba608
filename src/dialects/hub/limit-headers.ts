/** What the tightest of several limits of a kind leaves. */
export interface LimitState {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly left: number;
  /** Until all of it is free again; of a refusal, until there is room. */
  readonly resetMs: number;
}

/** The headers that report a limit. */
export type LimitHeaders = (state: LimitState, nowMs: number) => Readonly<Record<string, string>>;
