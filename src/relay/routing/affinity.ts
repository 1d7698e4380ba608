/**
 * Keeps a conversation at the channel and key that answered it last, so that the upstream's prompt
 * cache is met and what is encrypted for one account stays readable. It only chooses among what would
 * have been drawn from anyway, per user, and lets go of what fails.
 */

import type { Context } from '../../context.ts';
import { boundedMap } from '../../domain/bounded-map.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import type { CallRecord } from '../call/call-record.ts';
import { promptName, sessionName } from './affinity-key.ts';
import type { Bond, Place } from './sticky-channel.ts';

const MOST_BONDS = 50_000;

interface Kept extends Place {
  readonly writtenAtMs: number;
  usedAtMs: number;
}

export class Affinity {
  readonly #ctx: Pick<Context, 'kv' | 'options' | 'now'>;
  readonly #kept = boundedMap<string, Kept>(MOST_BONDS);

  constructor(ctx: Pick<Context, 'kv' | 'options' | 'now'>) {
    this.#ctx = ctx;
  }

  /** Undefined where there is nothing to choose, or the call belongs to no conversation. */
  async bondOf(record: CallRecord, candidates: readonly ChannelEntry[]): Promise<Bond | undefined> {
    const [first] = candidates;
    const hasChoice = candidates.length > 1 || (first !== undefined && first.keys.length > 1);
    const mode = hasChoice ? this.#ctx.options().get('ChannelAffinity') : 'off';
    if (mode === 'off') return undefined;
    const session = sessionName(record);
    const name = session ?? (mode === 'prompt' ? promptName(record) : undefined);
    if (name === undefined) return undefined;
    const { caller, intent } = record;
    const key = `affinity:${caller.user.id}:${caller.group}:${intent.model}:${name}`;
    const place = this.#here(key) ?? (await this.#elsewhere(key));
    return { key, by: session === undefined ? 'prompt' : 'session', place };
  }

  /** The conversation was answered there. In the background: nobody waits for it. */
  keep({ key }: Bond, { channelId, keyId }: Place): void {
    const nowMs = this.#ctx.now();
    const kept = this.#kept.get(key);
    const isSame = kept?.channelId === channelId && kept.keyId === keyId;
    if (isSame) kept.usedAtMs = nowMs;
    if (isSame && nowMs - kept.writtenAtMs < this.#lifetimeMs() / 2) return;
    this.#kept.set(key, { channelId, keyId, writtenAtMs: nowMs, usedAtMs: nowMs });
    if (this.#isShared()) void this.#ctx.kv.put(key, `${channelId} ${keyId}`, this.#sharedMs());
  }

  /** It failed there: the next call goes by weight again. */
  letGo({ key }: Bond): void {
    if (this.#kept.delete(key) && this.#isShared()) void this.#ctx.kv.clear(key);
  }

  #here(key: string): Place | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.usedAtMs + this.#lifetimeMs() > this.#ctx.now()) return kept;
    this.#kept.delete(key);
    return undefined;
  }

  async #elsewhere(key: string): Promise<Place | undefined> {
    if (!this.#isShared()) return undefined;
    const [text = ''] = await this.#ctx.kv.read([key]);
    const [channelId = 0, keyId = 0] = text.split(' ').map(Number);
    if (!(channelId > 0)) return undefined;
    const nowMs = this.#ctx.now();
    // Written anew with its first use here, as its age is not known.
    this.#kept.set(key, { channelId, keyId, writtenAtMs: 0, usedAtMs: nowMs });
    return { channelId, keyId };
  }

  #isShared(): boolean {
    return this.#ctx.kv.kind !== 'memory';
  }

  #lifetimeMs(): number {
    return this.#ctx.options().get('ChannelAffinityMinutes') * 60_000;
  }

  /** It is written again only after half of its life. */
  #sharedMs(): number {
    return this.#lifetimeMs() * 1.5;
  }
}
