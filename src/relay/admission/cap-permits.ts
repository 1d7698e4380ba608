/**
 * Tracks the cap permits held by the calls of this process. A permit's lease is renewed while its
 * call runs, so that only the permits of a process that died expire.
 */
import type { Logger } from '../../log.ts';
import type { Cap, CapFull, Permit, PermitStore as Store, TokenNeed } from '../../store/kv/kv.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/** No call takes longer; after this time a lost permit is no longer renewed. */
const LONGEST_CALL_MS = 2 * 60 * 60_000;

export class OpenShares {
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
  async take(id: string, caps: readonly Cap[], tokens: TokenNeed): Promise<Permit | CapFull> {
    const taken = await this.#store.takePermit({ id, caps, tokens, leaseMs: LEASE_MS });
    if ('full' in taken) return taken;
    this.#open.set(taken, this.#now());
    this.#timer ??= setInterval(() => this.#renewAll(), RENEW_EVERY_MS).unref();
    return taken;
  }

  /** `used`: tokens, undefined if unknown. Does nothing when called again. */
  async giveBack(share: Permit, used: number | undefined): Promise<void> {
    if (!this.#open.delete(share)) return;
    if (this.#open.size === 0) this.close();
    await this.#store.returnPermit(share, used);
  }

  /**
   * A permit that reserves nothing: the call's tokens are counted when it is released. Undefined
   * without a cap.
   */
  owed(id: string, caps: readonly Cap[]): Permit | undefined {
    if (caps.length === 0) return undefined;
    const tokens = { least: 0, most: 0 };
    const share: Permit = {
      id,
      caps,
      tokens,
      leaseMs: LEASE_MS,
      atSec: 0,
      from: 'redis',
      left: [],
    };
    this.#open.set(share, this.#now());
    return share;
  }

  /** Keeps the call permits and releases the token permits as unused. */
  async keepPlaces(share: Permit): Promise<Permit> {
    const places = { ...share, caps: share.caps.filter(({ of }) => of === 'calls') };
    const tokens = { ...share, caps: share.caps.filter(({ of }) => of === 'tokens') };
    this.#open.delete(share);
    this.#open.set(places, this.#now());
    if (tokens.caps.length > 0) await this.#store.returnPermit(tokens, 0);
    return places;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renewAll(): void {
    for (const [share, sinceMs] of this.#open) {
      if (sinceMs + LONGEST_CALL_MS < this.#now()) this.#open.delete(share);
      else
        this.#store
          .renewPermit(share)
          .catch((error: Error) => this.#log.warn({ err: error }, 'a share was not renewed'));
    }
  }
}
