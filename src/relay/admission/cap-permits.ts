/**
 * Tracks the cap permits held by the calls of this process. A permit's lease is renewed while its
 * call runs, so that only the permits of a process that died expire.
 */
import type { Logger } from '../../log.ts';
import type { Cap, FullCap, Permit, PermitStore as Store, TokenNeed } from '../../store/kv/kv.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly permits: CapPermits;
  }
}

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/** No call takes longer; after this time a lost permit is no longer renewed. */
const LONGEST_CALL_MS = 2 * 60 * 60_000;

export class CapPermits {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #open = new Map<Permit, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, now: () => number, log: Logger) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /** Takes permits of every cap, or of none. */
  async take(id: string, caps: readonly Cap[], tokenPermits: TokenNeed): Promise<Permit | FullCap> {
    const taken = await this.#store.takePermit({
      id,
      caps,
      tokens: tokenPermits,
      leaseMs: LEASE_MS,
    });
    if ('full' in taken) return taken;
    this.#open.set(taken, this.#now());
    this.#timer ??= setInterval(() => this.#renewAll(), RENEW_EVERY_MS).unref();
    return taken;
  }

  /** `used`: tokens, undefined if unknown. Does nothing when called again. */
  async release(permit: Permit, used: number | undefined): Promise<void> {
    if (!this.#open.delete(permit)) return;
    if (this.#open.size === 0) this.close();
    await this.#store.returnPermit(permit, used);
  }

  /**
   * A permit that reserves nothing: the call's tokens are counted when it is released. Undefined
   * without a cap.
   */
  takeUnreserved(id: string, caps: readonly Cap[]): Permit | undefined {
    if (caps.length === 0) return undefined;
    const tokens = { least: 0, most: 0 };
    const permit: Permit = {
      id,
      caps,
      tokens,
      leaseMs: LEASE_MS,
      atSec: 0,
      grantedBy: 'redis',
      left: [],
    };
    this.#open.set(permit, this.#now());
    return permit;
  }

  /** Keeps the call permits and releases the token permits as unused. */
  async keepCallPermits(permit: Permit): Promise<Permit> {
    const callPermits = { ...permit, caps: permit.caps.filter(({ of }) => of === 'calls') };
    const tokenPermits = { ...permit, caps: permit.caps.filter(({ of }) => of === 'tokens') };
    this.#open.delete(permit);
    this.#open.set(callPermits, this.#now());
    if (tokenPermits.caps.length > 0) await this.#store.returnPermit(tokenPermits, 0);
    return callPermits;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renewAll(): void {
    for (const [permit, sinceMs] of this.#open) {
      if (sinceMs + LONGEST_CALL_MS < this.#now()) this.#open.delete(permit);
      else
        this.#store
          .renewPermit(permit)
          .catch((error: Error) => this.#log.warn({ err: error }, 'a permit could not be renewed'));
    }
  }
}
