/**
 * Circuit breakers, one per channel and model, so that a failing model does not affect the other
 * models of its channel. Each node publishes its outcomes and applies those of the others. A node
 * starts without state, and a lost message costs a call at most its first attempt.
 * A model that fails `OPEN_AFTER` times in a row on a channel opens the breaker for a bounded,
 * doubling time; then one call at a time may probe the channel, and a success closes the breaker.
 * If no other channel is left for the model, one call every `LAST_RESORT_MS` probes it while the
 * breaker is open. A 429 puts only its key and model in cooldown; a refused key goes into cooldown
 * for all models (`key-cooldowns.ts`).
 */
import { lookupName } from '../../domain/channels/model-names.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly breakers: CircuitBreakers;
  }
}

const OPEN_AFTER = 5;
const FIRST_OPEN_MS = 5_000;
const LONGEST_OPEN_MS = 5 * 60_000;
/** After this time an unreported probe (a killed call) no longer blocks the channel. */
const PROBE_TIMEOUT_MS = 60_000;
/** Interval between probes while the breaker is open and the channel is the model's last one. */
const LAST_RESORT_MS = 1_000;
/** Tracked pairs of channel and model; above this the least recent failures are dropped. */
const MAX_TRACKED = 10_000;
export const LONGEST_COOLDOWN_MS = 5 * 60_000;

interface Health {
  readonly channelId: number;
  readonly model: string;
  failures: number;
  openMs: number;
  openUntilMs: number;
  probingSinceMs: number;
  /** When the breaker opened or the channel was last probed. */
  probedAtMs: number;
}

/** Outcome of a model on a channel, as published to the other nodes. */
export type BreakerEvent = { readonly id: number; readonly model: string } & (
  | { readonly kind: 'begun' | 'succeeded' | 'released' }
  | { readonly kind: 'failed'; readonly weight: number }
);

export interface BreakerState {
  readonly channelId: number;
  readonly model: string;
  readonly state: 'closed' | 'half_open' | 'open';
}

export class CircuitBreakers {
  readonly #now: () => number;
  readonly #publish: (event: BreakerEvent) => void;
  readonly #health = new Map<string, Health>();
  readonly #cooldowns = new Map<string, number>();

  /** `publish` sends outcomes of this node to the others, which pass them to `apply`. */
  constructor(now: () => number, publish: (event: BreakerEvent) => void = () => undefined) {
    this.#now = now;
    this.#publish = publish;
  }

  /** Applies an outcome from another node. */
  apply(event: BreakerEvent): void {
    const { id, model } = event;
    if (event.kind === 'failed') this.#fail(id, model, event.weight);
    else if (event.kind === 'begun') this.#begin(id, model);
    else if (event.kind === 'succeeded') this.#health.delete(nameOf(id, model));
    else this.#release(id, model);
  }

  /**
   * Models of channels with recent failures, open breakers first; 'half_open' means one call may
   * probe it.
   */
  states(): BreakerState[] {
    const nowMs = this.#now();
    const found = [...this.#health.values()].sort((one, other) => other.failures - one.failures);
    return found.map(({ channelId, model, failures, openUntilMs }) => {
      if (failures < OPEN_AFTER) return { channelId, model, state: 'closed' };
      return { channelId, model, state: openUntilMs > nowMs ? 'open' : 'half_open' };
    });
  }

  /** Drops the state of channels that were changed, because past failures no longer apply. */
  forget(channelIds: readonly number[] | 'all'): void {
    for (const [name, { channelId }] of this.#health)
      if (channelIds === 'all' || channelIds.includes(channelId)) this.#health.delete(name);
  }

  /** Number of key and model pairs in cooldown. */
  get keysInCooldown(): number {
    const nowMs = this.#now();
    let waiting = 0;
    for (const untilMs of this.#cooldowns.values()) if (untilMs > nowMs) waiting += 1;
    return waiting;
  }

  /** Milliseconds until the channel may be used for the model; 0 = now. */
  waitMs(channelId: number, model: string): number {
    const health = this.#open(channelId, model);
    if (health === undefined) return 0;
    const nowMs = this.#now();
    if (health.openUntilMs > nowMs) return health.openUntilMs - nowMs;
    const probeEndsMs = health.probingSinceMs + PROBE_TIMEOUT_MS;
    return health.probingSinceMs > 0 && probeEndsMs > nowMs ? probeEndsMs - nowMs : 0;
  }

  /** Like `waitMs`, for the last channel left for the model. */
  lastResortMs(channelId: number, model: string): number {
    const health = this.#open(channelId, model);
    if (health === undefined) return 0;
    const probeInMs = Math.max(0, health.probedAtMs + LAST_RESORT_MS - this.#now());
    return Math.min(probeInMs, this.waitMs(channelId, model));
  }

  /** Call before each attempt: if the breaker is open, this marks the attempt as its probe. */
  begin(channelId: number, model: string): void {
    if (this.#begin(channelId, model)) this.#publish({ kind: 'begun', id: channelId, model });
  }

  succeeded(channelId: number, model: string): void {
    if (this.#health.size === 0 || !this.#health.delete(nameOf(channelId, model))) return;
    this.#publish({ kind: 'succeeded', id: channelId, model });
  }

  /**
   * Ends an attempt that shows nothing about the channel's health (a rejected request, a client
   * that disconnected).
   */
  released(channelId: number, model: string): void {
    if (this.#release(channelId, model)) this.#publish({ kind: 'released', id: channelId, model });
  }

  /**
   * `weight`: how many failures it counts as; a slow answer counts less and opens the breaker
   * later.
   */
  failed(channelId: number, model: string, weight = 1): void {
    this.#fail(channelId, model, weight);
    this.#publish({ kind: 'failed', id: channelId, model, weight });
  }

  /** The state of an open or half-open breaker; undefined while it is closed. */
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
    health.probedAtMs = health.probingSinceMs;
    return true;
  }

  /** True when a probe was running. */
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
    // A failure while the breaker is open began before it opened, or was a last-resort probe.
    if (health.failures >= OPEN_AFTER && health.openUntilMs <= nowMs) {
      health.openMs = Math.min(
        health.openMs === 0 ? FIRST_OPEN_MS : health.openMs * 2,
        LONGEST_OPEN_MS,
      );
      health.openUntilMs = nowMs + health.openMs;
      health.probedAtMs = nowMs;
    }
    this.#health.delete(name);
    this.#health.set(name, health);
    const [oldest] = this.#health.keys();
    if (this.#health.size > MAX_TRACKED && oldest !== undefined) this.#health.delete(oldest);
  }

  /** Puts the key in cooldown for the model, or for all models if `model` is ''. */
  startCooldown(keyId: number, model: string, forMs: number): void {
    this.#cooldowns.set(`${keyId} ${model}`, this.#now() + Math.min(forMs, LONGEST_COOLDOWN_MS));
  }

  /** Ends all cooldowns of the key; false when it had none. */
  endCooldown(keyId: number): boolean {
    const own = [...this.#cooldowns.keys()].filter((name) => name.startsWith(`${keyId} `));
    for (const name of own) this.#cooldowns.delete(name);
    return own.length > 0;
  }

  /** Milliseconds until the key's cooldown for the model ends. */
  cooldownMs(keyId: number, model: string): number {
    if (this.#cooldowns.size === 0) return 0;
    return Math.max(this.#leftMs(`${keyId} ${model}`), this.#leftMs(`${keyId} `));
  }

  #leftMs(name: string): number {
    const untilMs = this.#cooldowns.get(name) ?? 0;
    const leftMs = untilMs - this.#now();
    if (leftMs > 0) return leftMs;
    if (untilMs > 0) this.#cooldowns.delete(name);
    return 0;
  }
}

/** Name suffixes that do not select another model (such as `-thinking`) share its breaker. */
function nameOf(channelId: number, model: string): string {
  return `${channelId} ${lookupName(model)}`;
}

function healthy(channelId: number, model: string): Health {
  return {
    channelId,
    model: lookupName(model),
    failures: 0,
    openMs: 0,
    openUntilMs: 0,
    probingSinceMs: 0,
    probedAtMs: 0,
  };
}
