/**
 * Key cooldowns requested by upstreams. The stored cooldowns inform other nodes and administrators;
 * the node that received the response applies its cooldown at once.
 */
import type { Context } from '../../context.ts';
import { nowSec } from '../../context.ts';
import type { Reason } from '../../domain/logs/reasons.ts';
import { storableText } from '../../domain/text/storable-text.ts';
import { announceChange, announceChanges } from '../../store/tables/changes-table.ts';
import {
  clearKeyCooldowns,
  keyCooldowns,
  setKeyCooldown,
} from '../../store/tables/channel-keys-table.ts';
import { writing } from '../cluster/announced-write.ts';
import { storedReason } from './channel-reasons.ts';

const MODEL_LENGTH = 255;

export interface KeyCooldown {
  readonly keyId: number;
  /** '' for all models. */
  readonly model: string;
  readonly untilMs: number;
}

/** Stores a cooldown that starts now; a longer existing one is kept. */
export async function startKeyCooldown(
  ctx: Context,
  rest: {
    readonly channelId: number;
    readonly keyId: number;
    readonly model: string;
    readonly durationMs: number;
    readonly reason: Reason;
  },
): Promise<void> {
  const untilSec = Math.ceil((ctx.now() + rest.durationMs) / 1000);
  await writing(ctx, async (ctx) => {
    const isNew = await setKeyCooldown(ctx.db, rest, {
      untilSec,
      model: storableText(rest.model).slice(0, MODEL_LENGTH),
      reason: storedReason(rest.reason),
    });
    if (isNew) await announceChange(ctx.db, 'key_rests', rest.keyId);
  });
}

/** Ends the cooldowns of the given keys, or of all keys of the channel. Returns how many ended. */
export async function endKeyCooldowns(
  ctx: Context,
  { channelId, keyIds }: { readonly channelId: number; readonly keyIds?: readonly number[] },
): Promise<number> {
  return writing(ctx, async (ctx) => {
    const ended = await clearKeyCooldowns(ctx.db, { channelId, keyIds, nowSec: nowSec(ctx) });
    await announceChanges(ctx.db, 'key_rests', ended);
    return ended.length;
  });
}

/** The cooldowns of these keys, including expired ones; `all` returns only active ones. */
export async function keyCooldownsOf(
  ctx: Context,
  ids: readonly number[] | 'all',
): Promise<KeyCooldown[]> {
  const rows = await keyCooldowns(ctx.reads, ids, nowSec(ctx));
  return rows.map(({ id, rest_model, resting_until }) => ({
    keyId: id,
    model: rest_model,
    untilMs: resting_until * 1000,
  }));
}
