/**
 * Chooses the channel and key for the next attempt of a call. Attempt n starts at the n-th priority
 * tier; within a tier the draw is weighted, and each channel counts as its weight + 10.
 */

import type { ChannelEntry, ChannelKey } from '../../services/cache/routing-cache.ts';
import type { Choice } from '../call/choice.ts';
import type { StickyTarget } from '../call/sticky-channel.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly chooser: ChannelChooser;
  }
}

const SMOOTHING = 10;

export interface ChannelQuery {
  readonly candidates: readonly ChannelEntry[];
  /** Model name that key cooldowns and circuit breakers are tracked under. */
  readonly model: string;
  readonly attempt: number;
  /**
   * Channels that already failed in this call. They are skipped even if their breaker is still
   * closed.
   */
  readonly tried: ReadonlySet<number>;
  /** The conversation's sticky channel and key, used if the channel is in the tier. */
  readonly sticky?: StickyTarget | undefined;
}

/**
 * The choice, or the shortest wait (ms) until a channel in cooldown is available, or undefined if
 * no channel is left.
 */
export type ChooserResult = Choice | CooldownWait | undefined;

export interface CooldownWait {
  readonly waitMs: number;
}

export class ChannelChooser {
  readonly #breakers: CircuitBreakers;
  readonly #random: () => number;
  readonly #nextKey = new Map<number, number>();

  /** `random` returns a number in [0, 1). */
  constructor(breakers: CircuitBreakers, random: () => number) {
    this.#breakers = breakers;
    this.#random = random;
  }

  choose(query: ChannelQuery): ChooserResult {
    const { candidates, tried } = query;
    const untried =
      tried.size === 0 ? candidates : candidates.filter((channel) => !tried.has(channel.id));
    const tier = tierFor(query.candidates, this.#available(untried, query.model), query.attempt);
    const stickyChoice = query.sticky && this.#stickyIn(tier, query.sticky, query.model);
    if (stickyChoice !== undefined) return stickyChoice;
    const channel = this.#draw(tier);
    if (channel === undefined) return this.#shortestWait(untried, query.model);
    const key = this.#takeKey(channel, query.model);
    return key === undefined ? undefined : { channel, key };
  }

  /**
   * The available channels. If none is, those that may be probed, because the model has no other
   * channel left.
   */
  #available(channels: readonly ChannelEntry[], model: string): readonly ChannelEntry[] {
    const isAvailable = (channel: ChannelEntry) =>
      this.hasAvailableKey(channel, model) && this.#breakers.waitMs(channel.id, model) === 0;
    // Usually all are, and the list is used as it is.
    if (channels.every(isAvailable)) return channels;
    const available = channels.filter(isAvailable);
    if (available.length > 0) return available;
    const withKey = channels.filter((channel) => this.hasAvailableKey(channel, model));
    return withKey.filter(({ id }) => this.#breakers.lastResortMs(id, model) === 0);
  }

  /** Uses the sticky key unless it is in cooldown; then another key of the same channel. */
  #stickyIn(
    tier: readonly ChannelEntry[],
    sticky: StickyTarget,
    model: string,
  ): Choice | undefined {
    const channel = tier.find(({ id }) => id === sticky.channelId);
    if (channel === undefined) return undefined;
    const same = channel.keys.find(({ id }) => id === sticky.keyId);
    const isAvailable = same !== undefined && this.#breakers.cooldownMs(same.id, model) === 0;
    const key = isAvailable ? same : this.#takeKey(channel, model);
    return key && { channel, key };
  }

  /** Whether the channel has a key that can be used for the model now. */
  hasAvailableKey({ keys }: ChannelEntry, model: string): boolean {
    return keys.some(({ id }) => this.#breakers.cooldownMs(id, model) === 0);
  }

  /** The next key of a channel that the caller pinned, regardless of its breaker. */
  pinned(channel: ChannelEntry, model: string): Choice | undefined {
    const key = this.#takeKey(channel, model) ?? channel.keys[0];
    return key === undefined ? undefined : { channel, key };
  }

  #shortestWait(channels: readonly ChannelEntry[], model: string): CooldownWait | undefined {
    if (channels.length === 0) return undefined;
    const waitMs = Math.min(...channels.map((channel) => this.#waitMs(channel, model)));
    return { waitMs };
  }

  /** Wait for a channel while no other one is available. */
  #waitMs(channel: ChannelEntry, model: string): number {
    return Math.max(
      this.#breakers.lastResortMs(channel.id, model),
      this.#cooldownMs(channel, model),
    );
  }

  /** Milliseconds until one of its keys can be used for the model again. */
  #cooldownMs(channel: ChannelEntry, model: string): number {
    return Math.min(...channel.keys.map((key) => this.#breakers.cooldownMs(key.id, model)));
  }

  #draw(tier: readonly ChannelEntry[]): ChannelEntry | undefined {
    const sum = tier.reduce((total, channel) => total + channel.weight + SMOOTHING, 0);
    let left = this.#random() * sum;
    for (const channel of tier) {
      left -= channel.weight + SMOOTHING;
      if (left < 0) return channel;
    }
    return tier.at(-1);
  }

  /** Round robin over the keys that are not in cooldown. */
  #takeKey(channel: ChannelEntry, model: string): ChannelKey | undefined {
    const start = this.#nextKey.get(channel.id) ?? 0;
    const count = channel.keys.length;
    for (let step = 0; step < count; step += 1) {
      const at = (start + step) % count;
      const key = channel.keys[at];
      if (key !== undefined && this.#breakers.cooldownMs(key.id, model) === 0) {
        if (count > 1) this.#nextKey.set(channel.id, at + 1);
        return key;
      }
    }
    return undefined;
  }
}

/**
 * Tier n of all candidates, else the next lower tier with an available channel, else a higher one.
 */
function tierFor(
  candidates: readonly ChannelEntry[],
  available: readonly ChannelEntry[],
  attempt: number,
): readonly ChannelEntry[] {
  const priorities = prioritiesOf(candidates);
  if (priorities.length === 1) return available;
  const start = Math.min(attempt, priorities.length - 1);
  const order = [...priorities.slice(start), ...priorities.slice(0, Math.max(start, 0))];
  for (const priority of order) {
    const tier = available.filter((channel) => channel.priority === priority);
    if (tier.length > 0) return tier;
  }
  return [];
}

/** The priorities of each list of candidates, in its order. */
const keptPriorities = new WeakMap<readonly ChannelEntry[], readonly number[]>();

function prioritiesOf(candidates: readonly ChannelEntry[]): readonly number[] {
  const known = keptPriorities.get(candidates);
  if (known !== undefined) return known;
  const priorities = [...new Set(candidates.map((channel) => channel.priority))];
  keptPriorities.set(candidates, priorities);
  return priorities;
}
