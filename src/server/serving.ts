import type { OpenedSite } from '../boot.ts';

export interface Serving {
  /** URL that it listens on, e.g. `http://127.0.0.1:3000`. */
  readonly url: string;
  /** URL of the metrics, if they have a separate port. */
  readonly metricsUrl: string | undefined;
  readonly booted: OpenedSite;
  /**
   * Fails readiness, stops accepting, lets streams end (bounded), flushes pending writes, closes.
   * Idempotent. `isReplaced`: another process already listens on the same socket.
   */
  stop(how?: { readonly isReplaced?: boolean }): Promise<void>;
}
