/** Callbacks through which `gateway serve` reports to the person or program that started it. */
export interface ServeHooks {
  /** The server accepts calls. */
  listening(facts: ServeReport): void;
  /** The stop signal arrived: no new calls, running ones may finish. */
  draining(): void;
  /** Fires when the process should stop. */
  readonly signal: AbortSignal;
}

/** What a starting server reports. */
export interface StartReport {
  readonly url: string;
  /** URL for setting up the site in a browser; undefined once it is set up. */
  readonly setupUrl: string | undefined;
  /** The default address of a site that is set up, if the server does not listen there. */
  readonly mismatchedAddress: string | undefined;
}

export interface ServeReport extends StartReport {
  /** Number of worker processes. */
  readonly workers: number;
}
