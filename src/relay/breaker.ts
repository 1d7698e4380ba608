/**
 * Health of channels as the nodes see it: what happens at one is told to the others, which do the same
 * with it. A node that starts knows nothing yet, and a message that is lost costs a call its first
 * attempt, nothing more. A channel that fails `OPEN_AFTER` times in a row is
 * left alone for a while (doubling, bounded); then one call at a time may probe it, and a success
 * closes the breaker. A 429 rests the one key and model it was about, a refused key the key as a whole
 * (`key-rests.ts`).
 */
const OPEN_AFTER = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;
/** A probe whose end was never reported (a killed call) must not block the channel for ever. */
const PROBE_PATIENCE_MS = 60_000;
export const LONGEST_COOLDOWN_MS = 5 * 60_000;

interface Health {
  failures: number;
  restMs: number;
  openUntilMs: number;
  probingSinceMs: number;
}

/** What happened to a channel. */
export type BreakerNews =
  | { readonly kind: 'begun' | 'succeeded' | 'released'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly weight: number };

export class Breakers {
  readonly #now: () => number;
  readonly #tell: (news: BreakerNews) => void;
  readonly #health = new Map<number, Health>();
  readonly #cooling = new Map<string, number>();

  /** `tell` takes what the other nodes should `hear`. */
  constructor(now: () => number, tell: (news: BreakerNews) => void = () => undefined) {
    this.#now = now;
    this.#tell = tell;
  }

  /** What happened at another node. */
  hear(news: BreakerNews): void {
    if (news.kind === 'failed') this.#fail(news.id, news.weight);
    else if (news.kind === 'begun') this.#begin(news.id);
    else if (news.kind === 'succeeded') this.#health.delete(news.id);
    else this.#release(news.id);
  }

  /** Channels that failed lately: 'half_open' may be probed by one call. */
  states(): (readonly [channelId: number, state: 'closed' | 'half_open' | 'open'])[] {
    const nowMs = this.#now();
    return [...this.#health].map(([id, { failures, openUntilMs }]) => {
      if (failures < OPEN_AFTER) return [id, 'closed'];
      return [id, openUntilMs > nowMs ? 'open' : 'half_open'];
    });
  }

  /** Pairs of key and model that rest because an upstream asked for it. */
  get keysWaiting(): number {
    const nowMs = this.#now();
    let waiting = 0;
    for (const untilMs of this.#cooling.values()) if (untilMs > nowMs) waiting += 1;
    return waiting;
  }

  /** Milliseconds until the channel may be asked; 0 = now. */
  waitMs(channelId: number): number {
    const health = this.#health.get(channelId);
    if (health === undefined || health.failures < OPEN_AFTER) return 0;
    const nowMs = this.#now();
    if (health.openUntilMs > nowMs) return health.openUntilMs - nowMs;
    const probeEndsMs = health.probingSinceMs + PROBE_PATIENCE_MS;
    return health.probingSinceMs > 0 && probeEndsMs > nowMs ? probeEndsMs - nowMs : 0;
  }

  /** Call before asking a channel: past its rest this call becomes the one probe. */
  begin(channelId: number): void {
    if (this.#begin(channelId)) this.#tell({ kind: 'begun', id: channelId });
  }

  succeeded(channelId: number): void {
    if (this.#health.delete(channelId)) this.#tell({ kind: 'succeeded', id: channelId });
  }

  /** Neither good nor bad news of the channel itself (a refused request, a client that left). */
  released(channelId: number): void {
    if (this.#release(channelId)) this.#tell({ kind: 'released', id: channelId });
  }

  /** `weight`: how much of a failure it was; one that is only slow opens the breaker later. */
  failed(channelId: number, weight = 1): void {
    this.#fail(channelId, weight);
    this.#tell({ kind: 'failed', id: channelId, weight });
  }

  /** True when this call is the probe. */
  #begin(channelId: number): boolean {
    const health = this.#health.get(channelId);
    if (health === undefined || health.failures < OPEN_AFTER) return false;
    health.probingSinceMs = this.#now();
    return true;
  }

  /** True when it was the probe that ended. */
  #release(channelId: number): boolean {
    const health = this.#health.get(channelId);
    if (health === undefined || health.probingSinceMs === 0) return false;
    health.probingSinceMs = 0;
    return true;
  }

  #fail(channelId: number, weight: number): void {
    const health = this.#health.get(channelId) ?? {
      failures: 0,
      restMs: 0,
      openUntilMs: 0,
      probingSinceMs: 0,
    };
    health.failures += weight;
    // What fails while the breaker is open began before it opened: no news of the channel.
    const isOpen = health.openUntilMs > this.#now();
    if (!isOpen) health.probingSinceMs = 0;
    if (health.failures >= OPEN_AFTER && !isOpen) {
      health.restMs = Math.min(
        health.restMs === 0 ? FIRST_REST_MS : health.restMs * 2,
        LONGEST_REST_MS,
      );
      health.openUntilMs = this.#now() + health.restMs;
    }
    this.#health.set(channelId, health);
  }

  /** The upstream asked for a pause for this key and model; '' for all models. */
  coolDown(keyId: number, model: string, forMs: number): void {
    this.#cooling.set(`${keyId} ${model}`, this.#now() + Math.min(forMs, LONGEST_COOLDOWN_MS));
  }

  /** The key may be asked again at once, for every model; false when it did not rest. */
  wake(keyId: number): boolean {
    const own = [...this.#cooling.keys()].filter((name) => name.startsWith(`${keyId} `));
    for (const name of own) this.#cooling.delete(name);
    return own.length > 0;
  }

  /** Milliseconds this key still rests for the model. */
  coolingMs(keyId: number, model: string): number {
    if (this.#cooling.size === 0) return 0;
    return Math.max(this.#leftMs(`${keyId} ${model}`), this.#leftMs(`${keyId} `));
  }

  #leftMs(name: string): number {
    const untilMs = this.#cooling.get(name) ?? 0;
    const leftMs = untilMs - this.#now();
    if (leftMs > 0) return leftMs;
    if (untilMs > 0) this.#cooling.delete(name);
    return 0;
  }
}
