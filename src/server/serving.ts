import type { Booted } from '../boot.ts';

export interface Serving {
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Where figures are scraped, if that is a port of their own. */
  readonly metricsUrl: string | undefined;
  readonly booted: Booted;
  /**
   * Tells load balancers, stops accepting, lets streams end (bounded), writes what waits, closes. Safe
   * to call twice. `isReplaced`: another process listens on the same socket already.
   */
  stop(how?: { readonly isReplaced?: boolean }): Promise<void>;
}
