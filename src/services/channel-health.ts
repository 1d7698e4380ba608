/**
 * What the relay and the tests of channels report: a key that is refused for good goes out of
 * service, and its channel with the last one; a channel that answers again comes back. Only the
 * columns of the status change, and only from the status that was expected, so a concurrent edit or
 * charge is never undone.
 */
import { type Context, nowSec } from '../context.ts';
import { CHANNEL_STATUS } from '../domain/statuses.ts';
import { storable } from '../domain/storable-text.ts';
import { moveAbilities } from '../store/abilities.ts';
import { announceChange } from '../store/changes.ts';
import { countEnabledKeys, disableKeyRow, enableKeys } from '../store/channel-keys.ts';
import { lockChannel, moveStatus } from '../store/channels.ts';
import { type TxContext, writing } from './writing.ts';

const REASON_LENGTH = 255;

/** `none`: somebody else was quicker, or the channel was switched off by hand. */
export type Disabled = 'key' | 'channel' | 'none';

/** Takes one key out of service; with the last one its channel becomes auto-disabled. */
export function disableKey(
  ctx: Context,
  report: { readonly channelId: number; readonly keyId: number; readonly reason: string },
): Promise<Disabled> {
  return writing(ctx, async (ctx) => {
    // Locked, or two reports at once could each take the other's key for the last one left.
    if ((await lockChannel(ctx.db, report.channelId)) === undefined) return 'none';
    const reason = storable(report.reason.slice(0, REASON_LENGTH));
    const why = { reason, atSec: nowSec(ctx) };
    if (!(await disableKeyRow(ctx.db, report, why))) return 'none';
    const isLast = (await countEnabledKeys(ctx.db, report.channelId)) === 0;
    const wentOff = isLast && (await switchOff(ctx, report.channelId, reason));
    await announceChange(ctx.db, 'channels', report.channelId);
    return wentOff ? 'channel' : 'key';
  });
}

/** Auto-disables an enabled channel with all it has; false when it was not enabled. */
export function disableChannel(
  ctx: Context,
  report: { readonly channelId: number; readonly reason: string },
): Promise<boolean> {
  return writing(ctx, async (ctx) => {
    const wentOff = await switchOff(ctx, report.channelId, report.reason);
    if (wentOff) await announceChange(ctx.db, 'channels', report.channelId);
    return wentOff;
  });
}

/** Brings back a channel that was auto-disabled, its keys included; never one switched off by hand. */
export function enableChannel(ctx: Context, channelId: number): Promise<boolean> {
  return writing(ctx, async (ctx) => {
    const cameBack = await move(ctx, channelId, {
      from: CHANNEL_STATUS.auto_disabled,
      to: CHANNEL_STATUS.enabled,
      reason: '',
    });
    if (!cameBack) return false;
    await enableKeys(ctx.db, channelId);
    await announceChange(ctx.db, 'channels', channelId);
    return true;
  });
}

function switchOff(ctx: TxContext, channelId: number, reason: string): Promise<boolean> {
  const { enabled, auto_disabled } = CHANNEL_STATUS;
  return move(ctx, channelId, { from: enabled, to: auto_disabled, reason });
}

async function move(
  ctx: TxContext,
  channelId: number,
  { from, to, reason }: { readonly from: number; readonly to: number; readonly reason: string },
): Promise<boolean> {
  const otherInfo = JSON.stringify({ status_reason: reason, status_time: nowSec(ctx) });
  if (!(await moveStatus(ctx.db, channelId, { from, to, otherInfo }))) return false;
  await moveAbilities(ctx.db, channelId, to === CHANNEL_STATUS.enabled);
  return true;
}
