/**
 * Enables, disables and deletes single keys of a channel. A key that a person disabled stays so
 * until a person enables it or the channel.
 */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import type { channelKeyCalls, KEY_ACTIONS } from '../../api/channels/channel-key.ts';
import { type Context, nowSec } from '../../context.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import {
  type ChannelKeyRow,
  channelKeysOf,
  replaceChannelKeys,
  setKeyStatus,
} from '../../store/tables/channel-keys-table.ts';
import { lockChannel } from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { requireChannel } from './channel-fields.ts';
import { disableWithoutKeys, enableWithKeys } from './channel-health.ts';
import { finishWrite, recordChannelAction } from './channel-writes.ts';
import { reportingModels } from './model-impact.ts';

type Calls = Service<typeof channelKeyCalls, Context>;
type Input = Parameters<Calls['manage']>[2];
type Page = z.input<(typeof channelKeyCalls)['manage']['reply']>;

const { enabled, disabled, auto_disabled } = CHANNEL_STATUS;

/** `place`: the key that the caller named. `to`: the new status, or absent to delete. */
interface Change {
  readonly of: 'place' | 'all' | 'auto_disabled';
  readonly to?: number;
}

const CHANGES: Readonly<Record<(typeof KEY_ACTIONS)[number], Change | undefined>> = {
  get_key_status: undefined,
  enable_key: { of: 'place', to: enabled },
  disable_key: { of: 'place', to: disabled },
  delete_key: { of: 'place' },
  enable_all_keys: { of: 'all', to: enabled },
  disable_all_keys: { of: 'all', to: disabled },
  delete_disabled_keys: { of: 'auto_disabled' },
};

/** @throws AppError channel_missing; input_invalid for an unknown key, or if no key would be left. */
export const manage: Calls['manage'] = (ctx, actor, input, visit) =>
  writing(ctx, async (ctx) => {
    const id = input.channel_id;
    const channel = requireChannel(await lockChannel(ctx.db, id), id);
    const change = CHANGES[input.action];
    if (change !== undefined)
      await reportingModels(ctx, visit, [id], async () => {
        await changeKeys(ctx, id, change, input.key_index);
        await finishWrite(ctx, [id]);
        await recordChannelAction(ctx, actor, [channel], {
          event: 'channel_changed',
          fields: ['key'],
        });
      });
    return pageOf(await keysOf(ctx, id), input);
  });

async function changeKeys(
  ctx: TxContext,
  channelId: number,
  { of, to }: Change,
  place: number | undefined,
): Promise<void> {
  const stored = await keysOf(ctx, channelId);
  const chosen = new Set(of === 'place' ? [keyAt(stored, place)] : stored.filter(keyFilter(of)));
  if (to === undefined) {
    const left = stored.filter((key) => !chosen.has(key));
    if (left.length === 0) throw invalidInput('key', 'empty');
    await replaceChannelKeys(ctx.db, channelId, left);
  } else {
    const keyIds = [...chosen].map(({ id }) => id);
    await setKeyStatus(ctx.db, { channelId, keyIds, status: to }, nowSec(ctx));
  }
  await (to === enabled ? enableWithKeys : disableWithoutKeys)(ctx, channelId);
}

function keyFilter(which: 'all' | 'auto_disabled'): (key: ChannelKeyRow) => boolean {
  return ({ status }) => which === 'all' || status === auto_disabled;
}

function keyAt(keys: readonly ChannelKeyRow[], place: number | undefined): ChannelKeyRow {
  if (place === undefined) throw invalidInput('key_index', 'missing');
  const key = keys[place];
  if (key === undefined) throw invalidInput('key_index', 'too_large', { most: keys.length - 1 });
  return key;
}

async function keysOf({ db }: TxContext, channelId: number): Promise<ChannelKeyRow[]> {
  return (await channelKeysOf(db, [channelId])).get(channelId) ?? [];
}

function pageOf(keys: readonly ChannelKeyRow[], { page, page_size, status }: Input): Page {
  const shown = keys
    .map((key, index) => ({
      index,
      status: key.status,
      disabled_time: key.disabled_at,
      reason: key.reason,
      key_preview: key.key_hint,
    }))
    .filter((key) => !status || key.status === status);
  const count = (wanted: number) => keys.filter((key) => key.status === wanted).length;
  return {
    keys: shown.slice((page - 1) * page_size, page * page_size),
    total: shown.length,
    page,
    page_size,
    total_pages: Math.max(1, Math.ceil(shown.length / page_size)),
    enabled_count: count(enabled),
    manual_disabled_count: count(disabled),
    auto_disabled_count: count(auto_disabled),
  };
}
