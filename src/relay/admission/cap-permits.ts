/**
 * What the calls of this process have taken of caps. A share is renewed while its call runs, so that
 * only those of a process that is gone fall away.
 */
import type { Logger } from '../../log.ts';
import type { Cap, NoRoom, Share, Shares as Store, TokenNeed } from '../../store/kv/kv.ts';

const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/** No call takes longer; one that was lost track of must not keep its place for ever. */
const LONGEST_CALL_MS = 2 * 60 * 60_000;

export class OpenShares {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #open = new Map<Share, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, now: () => number, log: Logger) {
    this.#store = store;
    this.#now = now;
    this.#log = log;
  }

  /** A share of every cap, or of none. */
  async take(id: string, caps: readonly Cap[], tokens: TokenNeed): Promise<Share | NoRoom> {
    const taken = await this.#store.takeShare({ id, caps, tokens, leaseMs: LEASE_MS });
    if ('full' in taken) return taken;
    this.#open.set(taken, this.#now());
    this.#timer ??= setInterval(() => this.#renewAll(), RENEW_EVERY_MS).unref();
    return taken;
  }

  /** `used`: tokens, undefined where nobody knows. Does nothing the second time. */
  async giveBack(share: Share, used: number | undefined): Promise<void> {
    if (!this.#open.delete(share)) return;
    if (this.#open.size === 0) this.close();
    await this.#store.returnShare(share, used);
  }

  /** A share of nothing: what its call uses counts when it is given back. Undefined without a cap. */
  owed(id: string, caps: readonly Cap[]): Share | undefined {
    if (caps.length === 0) return undefined;
    const tokens = { least: 0, most: 0 };
    const share: Share = { id, caps, tokens, leaseMs: LEASE_MS, atSec: 0, from: 'redis', left: [] };
    this.#open.set(share, this.#now());
    return share;
  }

  /** Gives back its tokens, unused; what is answered has its places. */
  async keepPlaces(share: Share): Promise<Share> {
    const places = { ...share, caps: share.caps.filter(({ of }) => of === 'calls') };
    const tokens = { ...share, caps: share.caps.filter(({ of }) => of === 'tokens') };
    this.#open.delete(share);
    this.#open.set(places, this.#now());
    if (tokens.caps.length > 0) await this.#store.returnShare(tokens, 0);
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
          .renewShare(share)
          .catch((error: Error) => this.#log.warn({ err: error }, 'a share was not renewed'));
    }
  }
}
