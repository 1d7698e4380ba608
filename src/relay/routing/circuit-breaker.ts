/**
 * Health of channels, one breaker per channel and model: a model that fails does not affect the other
 * models of its channel. Each node publishes what happens and applies what the others publish. A node
 * starts without any state, and a lost message costs a call its first attempt, nothing more. A model that fails `OPEN_AFTER` times in a row on a channel rests there for a while (doubling,
 * bounded); then one call at a time may probe it, and a success closes the breaker. Where no other
 * channel is left for the model, a call every `LAST_RESORT_MS` probes it during its rest too. A 429 rests
 * the one key and model it was about, a refused key the key as a whole (`key-rests.ts`).
 */
import { lookupName } from '../../domain/channels/model-names.ts';

const OPEN_AFTER = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;
/** A probe whose end was never reported (a killed call) must not block the channel for ever. */
const PROBE_PATIENCE_MS = 60_000;
/** Between two probes of a channel that rests and is the last for its model. */
const LAST_RESORT_MS = 1_000;
/** Pairs of channel and model that failed lately; beyond, those that failed longest ago are forgotten. */
const MAX_TRACKED = 10_000;
export const LONGEST_COOLDOWN_MS = 5 * 60_000;

interface Health {
  readonly channelId: number;
  readonly model: string;
  failures: number;
  restMs: number;
  openUntilMs: number;
  probingSinceMs: number;
  /** When the breaker opened, or was last probed. */
  askedAtMs: number;
}

/** What happened to a model of a channel. */
export type BreakerNews = { readonly id: number; readonly model: string } & (
  | { readonly kind: 'begun' | 'succeeded' | 'released' }
  | { readonly kind: 'failed'; readonly weight: number }
);

export interface BreakerState {
  readonly channelId: number;
  readonly model: string;
  readonly state: 'closed' | 'half_open' | 'open';
}

export class Breakers {
  readonly #now: () => number;
  readonly #tell: (news: BreakerNews) => void;
  readonly #health = new Map<string, Health>();
  readonly #cooling = new Map<string, number>();

  /** `tell` takes what the other nodes should `hear`. */
  constructor(now: () => number, tell: (news: BreakerNews) => void = () => undefined) {
    this.#now = now;
    this.#tell = tell;
  }

  /** What happened at another node. */
  hear(news: BreakerNews): void {
    const { id, model } = news;
    if (news.kind === 'failed') this.#fail(id, model, news.weight);
    else if (news.kind === 'begun') this.#begin(id, model);
    else if (news.kind === 'succeeded') this.#health.delete(nameOf(id, model));
    else this.#release(id, model);
  }

  /** Models of channels that failed lately, open ones first: 'half_open' may be probed by one call. */
  states(): BreakerState[] {
    const nowMs = this.#now();
    const found = [...this.#health.values()].sort((one, other) => other.failures - one.failures);
    return found.map(({ channelId, model, failures, openUntilMs }) => {
      if (failures < OPEN_AFTER) return { channelId, model, state: 'closed' };
      return { channelId, model, state: openUntilMs > nowMs ? 'open' : 'half_open' };
    });
  }

  /** These channels were changed: what failed before says nothing of them now. */
  forget(channelIds: readonly number[] | 'all'): void {
    for (const [name, { channelId }] of this.#health)
      if (channelIds === 'all' || channelIds.includes(channelId)) this.#health.delete(name);
  }

  /** Pairs of key and model that rest because an upstream asked for it. */
  get keysWaiting(): number {
    const nowMs = this.#now();
    let waiting = 0;
    for (const untilMs of this.#cooling.values()) if (untilMs > nowMs) waiting += 1;
    return waiting;
  }

  /** Milliseconds until the channel may be asked for the model; 0 = now. */
  waitMs(channelId: number, model: string): number {
    const health = this.#open(channelId, model);
    if (health === undefined) return 0;
    const nowMs = this.#now();
    if (health.openUntilMs > nowMs) return health.openUntilMs - nowMs;
    const probeEndsMs = health.probingSinceMs + PROBE_PATIENCE_MS;
    return health.probingSinceMs > 0 && probeEndsMs > nowMs ? probeEndsMs - nowMs : 0;
  }

  /** The same for a channel that is the last one for the model. */
  lastResortMs(channelId: number, model: string): number {
    const health = this.#open(channelId, model);
    if (health === undefined) return 0;
    const probeInMs = Math.max(0, health.askedAtMs + LAST_RESORT_MS - this.#now());
    return Math.min(probeInMs, this.waitMs(channelId, model));
  }

  /** Call before asking a channel: where its breaker is open, this call is a probe. */
  begin(channelId: number, model: string): void {
    if (this.#begin(channelId, model)) this.#tell({ kind: 'begun', id: channelId, model });
  }

  succeeded(channelId: number, model: string): void {
    if (this.#health.size === 0 || !this.#health.delete(nameOf(channelId, model))) return;
    this.#tell({ kind: 'succeeded', id: channelId, model });
  }

  /** Neither good nor bad news of the channel itself (a refused request, a client that left). */
  released(channelId: number, model: string): void {
    if (this.#release(channelId, model)) this.#tell({ kind: 'released', id: channelId, model });
  }

  /** `weight`: how much of a failure it was; one that is only slow opens the breaker later. */
  failed(channelId: number, model: string, weight = 1): void {
    this.#fail(channelId, model, weight);
    this.#tell({ kind: 'failed', id: channelId, model, weight });
  }

  /** Undefined while the breaker is closed. */
  #open(channelId: number, model: string): Health | undefined {
    if (this.#health.size === 0) return undefined;
    const health = this.#health.get(nameOf(channelId, model));
    return health === undefined || health.failures < OPEN_AFTER ? undefined : health;
  }

  /** True when this call is a probe. */
  #begin(channelId: number, model: string): boolean {
    const health = this.#open(channelId, model);
    if (health === undefined) return false;
    health.probingSinceMs = this.#now();
    health.askedAtMs = health.probingSinceMs;
    return true;
  }

  /** True when it was the probe that ended. */
  #release(channelId: number, model: string): boolean {
    const health = this.#open(channelId, model);
    if (health === undefined || health.probingSinceMs === 0) return false;
    health.probingSinceMs = 0;
    return true;
  }

  #fail(channelId: number, model: string, weight: number): void {
    const name = nameOf(channelId, model);
    const health = this.#health.get(name) ?? healthy(channelId, model);
    const nowMs = this.#now();
    health.failures += weight;
    health.probingSinceMs = 0;
    // What fails while the breaker is open began before it opened, or was a probe of the last channel.
    if (health.failures >= OPEN_AFTER && health.openUntilMs <= nowMs) {
      health.restMs = Math.min(
        health.restMs === 0 ? FIRST_REST_MS : health.restMs * 2,
        LONGEST_REST_MS,
      );
      health.openUntilMs = nowMs + health.restMs;
      health.askedAtMs = nowMs;
    }
    this.#health.delete(name);
    this.#health.set(name, health);
    const [oldest] = this.#health.keys();
    if (this.#health.size > MAX_TRACKED && oldest !== undefined) this.#health.delete(oldest);
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

/** Endings of a name that make it no other model (`-thinking`, say) share its breaker. */
function nameOf(channelId: number, model: string): string {
  return `${channelId} ${lookupName(model)}`;
}

function healthy(channelId: number, model: string): Health {
  return {
    channelId,
    model: lookupName(model),
    failures: 0,
    restMs: 0,
    openUntilMs: 0,
    probingSinceMs: 0,
    askedAtMs: 0,
  };
}
