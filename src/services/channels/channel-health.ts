/**
 * Applies what the relay and channel tests report: a permanently refused key is disabled, and so is
 * its channel with the last key; a channel that responds again is enabled. Only the status columns
 * change, and only from the expected status, so a concurrent edit or charge is never undone. Super
 * admins are notified of every channel that is disabled or enabled.
 */
import { type Context, nowSec } from '../../context.ts';
import type { Reason } from '../../domain/logs/reasons.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { setAbilitiesEnabled } from '../../store/tables/abilities-table.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  countEnabledKeys,
  disableKeyRow,
  enableKeyRow,
} from '../../store/tables/channel-keys-table.ts';
import { changeChannelStatus, lockChannel } from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { notifyChannelStatus } from '../messaging/notify/events.ts';
import { storedReason } from './channel-reasons.ts';

/** What changed status. `none`: another report was first, or it was disabled manually. */
export type ChangedPart = 'key' | 'channel' | 'none';

/** Disables one key; with the last one its channel becomes auto-disabled. */
export async function disableKey(
  ctx: Context,
  report: { readonly channelId: number; readonly keyId: number; readonly reason: Reason },
): Promise<ChangedPart> {
  const { channelId } = report;
  const reason = storedReason(report.reason);
  const disabled = await writing(ctx, async (ctx): Promise<ChangedPart> => {
    // Locked, as two concurrent reports could each see the other's key as still enabled.
    if ((await lockChannel(ctx.db, channelId)) === undefined) return 'none';
    const why = { reason, atSec: nowSec(ctx) };
    if (!(await disableKeyRow(ctx.db, report, why))) return 'none';
    const isLast = (await countEnabledKeys(ctx.db, channelId)) === 0;
    const isChannelDisabled = isLast && (await autoDisable(ctx, channelId, reason));
    await announceChange(ctx.db, 'channels', channelId);
    return isChannelDisabled ? 'channel' : 'key';
  });
  if (disabled === 'channel') notifyChannelStatus(ctx, report);
  return disabled;
}

/** Auto-disables an enabled channel with all its keys; false when it was not enabled. */
export async function disableChannel(
  ctx: Context,
  report: { readonly channelId: number; readonly reason: Reason },
): Promise<boolean> {
  const { channelId } = report;
  const reason = storedReason(report.reason);
  const wentOff = await writing(ctx, async (ctx) => {
    if (!(await autoDisable(ctx, channelId, reason))) return false;
    await announceChange(ctx.db, 'channels', channelId);
    return true;
  });
  if (wentOff) notifyChannelStatus(ctx, report);
  return wentOff;
}

/**
 * Enables an auto-disabled key that works again, and its channel; anything disabled manually stays
 * disabled.
 */
export async function enableKey(
  ctx: Context,
  { channelId, keyId }: { readonly channelId: number; readonly keyId: number },
): Promise<ChangedPart> {
  const enabled = await writing(ctx, async (ctx): Promise<ChangedPart> => {
    const channel = await lockChannel(ctx.db, channelId);
    if (channel === undefined || channel.status === CHANNEL_STATUS.disabled) return 'none';
    const isKeyEnabled = await enableKeyRow(ctx.db, { channelId, keyId });
    const isChannelEnabled = await enableWithKeys(ctx, channelId);
    if (isKeyEnabled || isChannelEnabled) await announceChange(ctx.db, 'channels', channelId);
    if (isChannelEnabled) return 'channel';
    return isKeyEnabled ? 'key' : 'none';
  });
  if (enabled === 'channel') notifyChannelStatus(ctx, { channelId });
  return enabled;
}

/** Auto-disables a channel whose enabled keys were removed or disabled. Its keys are locked by the caller. */
export async function disableWithoutKeys(ctx: TxContext, channelId: number): Promise<void> {
  if ((await countEnabledKeys(ctx.db, channelId)) > 0) return;
  await autoDisable(ctx, channelId, storedReason({ event: 'channel_keys_disabled' }));
}

/** Enables an auto-disabled channel that has an enabled key; false when nothing was changed. */
export async function enableWithKeys(ctx: TxContext, channelId: number): Promise<boolean> {
  if ((await countEnabledKeys(ctx.db, channelId)) === 0) return false;
  const { enabled, auto_disabled } = CHANNEL_STATUS;
  return changeStatus(ctx, channelId, { from: auto_disabled, to: enabled, reason: '' });
}

function autoDisable(ctx: TxContext, channelId: number, reason: string): Promise<boolean> {
  const { enabled, auto_disabled } = CHANNEL_STATUS;
  return changeStatus(ctx, channelId, { from: enabled, to: auto_disabled, reason });
}

async function changeStatus(
  ctx: TxContext,
  channelId: number,
  { from, to, reason }: { readonly from: number; readonly to: number; readonly reason: string },
): Promise<boolean> {
  const otherInfo = JSON.stringify({ status_reason: reason, status_time: nowSec(ctx) });
  if (!(await changeChannelStatus(ctx.db, channelId, { from, to, otherInfo }))) return false;
  await setAbilitiesEnabled(ctx.db, channelId, to === CHANNEL_STATUS.enabled);
  return true;
}
