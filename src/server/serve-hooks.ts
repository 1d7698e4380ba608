/** How `gateway serve` talks to the person or the program that started it. */
export interface ServeHooks {
  /** Calls are taken from now on. */
  listening(facts: ServeFacts): void;
  /** The signal was heard: no new calls, running ones may finish. */
  draining(): void;
  /** Fires when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** What a server that starts has to tell. */
export interface StartFacts {
  readonly url: string;
  /** Where a browser sets the site up; undefined when it is set up. */
  readonly setupUrl: string | undefined;
  /** The default address of a site that is set up, where links to it lead elsewhere. */
  readonly unfitAddress: string | undefined;
}

export interface ServeFacts extends StartFacts {
  /** Processes that serve. */
  readonly workers: number;
}
