/**
 * Health of channels as this process sees it. A channel that fails `OPEN_AFTER` times in a row is
 * left alone for a while (doubling, bounded); then one call at a time may probe it, and a success
 * closes the breaker. A 429 rests the one key and model it was about for as long as it asked.
 */
const OPEN_AFTER = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 5 * 60_000;
/** A probe whose end was never reported (a killed call) must not block the channel for ever. */
const PROBE_PATIENCE_MS = 60_000;
const LONGEST_COOLDOWN_MS = 5 * 60_000;

interface Health {
  failures: number;
  restMs: number;
  openUntilMs: number;
  probingSinceMs: number;
}

export class Breakers {
  readonly #now: () => number;
  readonly #health = new Map<number, Health>();
  readonly #cooling = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
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
    const health = this.#health.get(channelId);
    if (health !== undefined && health.failures >= OPEN_AFTER) health.probingSinceMs = this.#now();
  }

  succeeded(channelId: number): void {
    this.#health.delete(channelId);
  }

  /** Neither good nor bad news of the channel itself (a refused request, a client that left). */
  released(channelId: number): void {
    const health = this.#health.get(channelId);
    if (health !== undefined) health.probingSinceMs = 0;
  }

  failed(channelId: number): void {
    const health = this.#health.get(channelId) ?? {
      failures: 0,
      restMs: 0,
      openUntilMs: 0,
      probingSinceMs: 0,
    };
    health.failures += 1;
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

  /** The upstream asked for a pause for this key and model. */
  coolDown(keyId: number, model: string, forMs: number): void {
    this.#cooling.set(`${keyId} ${model}`, this.#now() + Math.min(forMs, LONGEST_COOLDOWN_MS));
  }

  /** Milliseconds this key still rests for the model. */
  coolingMs(keyId: number, model: string): number {
    if (this.#cooling.size === 0) return 0;
    const name = `${keyId} ${model}`;
    const untilMs = this.#cooling.get(name) ?? 0;
    const leftMs = untilMs - this.#now();
    if (leftMs > 0) return leftMs;
    if (untilMs > 0) this.#cooling.delete(name);
    return 0;
  }
}
