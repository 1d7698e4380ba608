/**
 * Channel affinity: sends a conversation to the channel and key that answered it last, so that the
 * upstream's prompt cache is hit and content encrypted for one account stays readable. Affinity is
 * per user, only picks among the channels the draw would use anyway, and is dropped when a call
 * fails.
 */

import type { Context } from '../../context.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { boundedMap } from '../../domain/bounded-map.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { Admitted } from '../call/admitted.ts';
import type { StickyAssignment, StickyTarget } from '../call/sticky-channel.ts';
import { promptName, sessionName } from './affinity-key.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly affinity: Affinity;
  }
}

const MAX_ASSIGNMENTS = 50_000;

interface StoredTarget extends StickyTarget {
  readonly writtenAtMs: number;
  usedAtMs: number;
}

export class Affinity {
  readonly #ctx: Pick<Context, 'kv' | 'options' | 'now'>;
  readonly #stored = boundedMap<string, StoredTarget>(MAX_ASSIGNMENTS);

  constructor(ctx: Pick<Context, 'kv' | 'options' | 'now'>) {
    this.#ctx = ctx;
  }

  /** Undefined when there is only one channel and key, or the call belongs to no conversation. */
  assignmentOf(
    call: Admitted,
    candidates: readonly ChannelEntry[],
  ): Awaitable<StickyAssignment | undefined> {
    const [first] = candidates;
    const hasChoice = candidates.length > 1 || (first !== undefined && first.keys.length > 1);
    const mode = hasChoice ? this.#ctx.options().get('ChannelAffinity') : 'off';
    if (mode === 'off') return undefined;
    const session = sessionName(call);
    const name = session ?? (mode === 'prompt' ? promptName(call) : undefined);
    if (name === undefined) return undefined;
    const { caller, intent } = call;
    const key = `affinity:${caller.user.id}:${caller.group}:${intent.model}:${name}`;
    const by = session === undefined ? 'prompt' : 'session';
    const target = this.#local(key);
    if (target !== undefined || !this.#isShared()) return { key, by, target };
    return this.#shared(key).then((shared) => ({ key, by, target: shared }));
  }

  /**
   * Stores the channel and key that answered. Runs in the background, because no caller waits for
   * it.
   */
  store({ key }: StickyAssignment, { channelId, keyId }: StickyTarget): void {
    const nowMs = this.#ctx.now();
    const stored = this.#stored.get(key);
    const isSame = stored?.channelId === channelId && stored.keyId === keyId;
    if (isSame) stored.usedAtMs = nowMs;
    if (isSame && nowMs - stored.writtenAtMs < this.#lifetimeMs() / 2) return;
    this.#stored.set(key, { channelId, keyId, writtenAtMs: nowMs, usedAtMs: nowMs });
    if (this.#isShared()) void this.#ctx.kv.put(key, `${channelId} ${keyId}`, this.#sharedMs());
  }

  /** Drops the affinity after a failure, so that the next call is drawn by weight again. */
  drop({ key }: StickyAssignment): void {
    if (this.#stored.delete(key) && this.#isShared()) void this.#ctx.kv.clear(key);
  }

  #local(key: string): StickyTarget | undefined {
    const stored = this.#stored.get(key);
    if (stored === undefined) return undefined;
    if (stored.usedAtMs + this.#lifetimeMs() > this.#ctx.now()) return stored;
    this.#stored.delete(key);
    return undefined;
  }

  async #shared(key: string): Promise<StickyTarget | undefined> {
    const [text = ''] = await this.#ctx.kv.read([key]);
    const [channelId = 0, keyId = 0] = text.split(' ').map(Number);
    if (!(channelId > 0)) return undefined;
    const nowMs = this.#ctx.now();
    // `writtenAtMs` is 0, because the age is unknown: the first use on this node writes it again.
    this.#stored.set(key, { channelId, keyId, writtenAtMs: 0, usedAtMs: nowMs });
    return { channelId, keyId };
  }

  #isShared(): boolean {
    return this.#ctx.kv.kind !== 'memory';
  }

  #lifetimeMs(): number {
    return this.#ctx.options().get('ChannelAffinityMinutes') * 60_000;
  }

  /**
   * Longer than the affinity itself, because the entry is rewritten only after half of that
   * lifetime.
   */
  #sharedMs(): number {
    return this.#lifetimeMs() * 1.5;
  }
}
