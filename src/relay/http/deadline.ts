/**
 * How long an exchange may still take: bounds of its own, and a grace once the client has left, as
 * the upstream may be about to say what the call has cost.
 */
import type { ClientPresence } from '../call/incoming-call.ts';
import type { UpstreamCall } from './upstream-call.ts';

export class Patience {
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

  /** Wakes the exchange when the client leaves, so that the grace begins to count. */
  watch(call: UpstreamCall): void {
    this.#client.onLeave(() => call.interrupt());
  }

  /** Milliseconds of the grace that are left; undefined while the client is there. */
  graceLeftMs(): number | undefined {
    const { leftAtMs } = this.#client;
    return leftAtMs === undefined ? undefined : leftAtMs + this.#graceMs - this.#now();
  }

  /** The shorter of `limitMs` (0 = none) from `sinceMs` and the grace; negative = over. */
  leftMs(sinceMs: number, limitMs: number): number {
    const graceMs = this.graceLeftMs();
    const ownMs = limitMs > 0 ? sinceMs + limitMs - this.#now() : undefined;
    if (graceMs === undefined && ownMs === undefined) return 0;
    const leftMs = Math.min(graceMs ?? Number.POSITIVE_INFINITY, ownMs ?? Number.POSITIVE_INFINITY);
    return leftMs <= 0 ? -1 : leftMs;
  }
}
