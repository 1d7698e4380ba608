/**
 * Computes how long an exchange may still take: its own time limits, and a grace period after the
 * client disconnects, because the upstream may still report the usage.
 */
import type { ClientPresence } from '../call/incoming-call.ts';
import type { UpstreamCall } from './upstream-call.ts';

export class Deadline {
  readonly #client: ClientPresence;
  readonly #graceMs: number;
  readonly #now: () => number;

  constructor(client: ClientPresence, graceMs: number, now: () => number) {
    this.#client = client;
    this.#graceMs = graceMs;
    this.#now = now;
  }

  get clientLeft(): boolean {
    return this.#client.leftAtMs !== undefined;
  }

  /** Interrupts the exchange when the client disconnects, so that the grace period starts. */
  watch(call: UpstreamCall): void {
    this.#client.onLeave(() => call.interrupt());
  }

  /** Milliseconds left of the grace period; undefined while the client is connected. */
  graceLeftMs(): number | undefined {
    const { leftAtMs } = this.#client;
    return leftAtMs === undefined ? undefined : leftAtMs + this.#graceMs - this.#now();
  }

  /**
   * The shorter of `limitMs` (0 = none) from `sinceMs` and the grace period; negative = expired.
   */
  leftMs(sinceMs: number, limitMs: number): number {
    const graceMs = this.graceLeftMs();
    const ownMs = limitMs > 0 ? sinceMs + limitMs - this.#now() : undefined;
    if (graceMs === undefined && ownMs === undefined) return 0;
    const leftMs = Math.min(graceMs ?? Number.POSITIVE_INFINITY, ownMs ?? Number.POSITIVE_INFINITY);
    return leftMs <= 0 ? -1 : leftMs;
  }
}
