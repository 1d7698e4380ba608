/**
 * What the relay and the tests of channels report: a key that is refused for good goes out of
 * service, and its channel with the last one; a channel that answers again comes back. Only the
 * columns of the status change, and only from the status that was expected, so a concurrent edit or
 * charge is never undone. Super admins are told of every channel that goes or comes back.
 */
import { type Context, nowSec } from '../../context.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { storable } from '../../domain/text/storable-text.ts';
import { moveAbilities } from '../../store/tables/abilities-table.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  countEnabledKeys,
  disableKeyRow,
  enableKeyRow,
} from '../../store/tables/channel-keys-table.ts';
import { lockChannel, moveStatus } from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { tellOfChannel } from '../messaging/notify/events.ts';

const REASON_LENGTH = 255;

/** What went or came back. `none`: somebody else was quicker, or it was switched off by hand. */
export type Moved = 'key' | 'channel' | 'none';

/** Takes one key out of service; with the last one its channel becomes auto-disabled. */
export async function disableKey(
  ctx: Context,
  report: { readonly channelId: number; readonly keyId: number; readonly reason: string },
): Promise<Moved> {
  const reason = reasonText(report.reason);
  const { channelId } = report;
  const disabled = await writing(ctx, async (ctx): Promise<Moved> => {
    // Locked, or two reports at once could each take the other's key for the last one left.
    if ((await lockChannel(ctx.db, channelId)) === undefined) return 'none';
    const why = { reason, atSec: nowSec(ctx) };
    if (!(await disableKeyRow(ctx.db, report, why))) return 'none';
    const isLast = (await countEnabledKeys(ctx.db, channelId)) === 0;
    const wentOff = isLast && (await switchOff(ctx, channelId, reason));
    await announceChange(ctx.db, 'channels', channelId);
    return wentOff ? 'channel' : 'key';
  });
  if (disabled === 'channel') tellOfChannel(ctx, { channelId, reason, isEnabled: false });
  return disabled;
}

/** Auto-disables an enabled channel with all it has; false when it was not enabled. */
export async function disableChannel(
  ctx: Context,
  report: { readonly channelId: number; readonly reason: string },
): Promise<boolean> {
  const reason = reasonText(report.reason);
  const { channelId } = report;
  const wentOff = await writing(ctx, async (ctx) => {
    if (!(await switchOff(ctx, channelId, reason))) return false;
    await announceChange(ctx.db, 'channels', channelId);
    return true;
  });
  if (wentOff) tellOfChannel(ctx, { channelId, reason, isEnabled: false });
  return wentOff;
}

/**
 * A key answered: it comes back where it was auto-disabled, and so does its channel; what was
 * switched off by hand stays off.
 */
export async function enableKey(
  ctx: Context,
  { channelId, keyId }: { readonly channelId: number; readonly keyId: number },
): Promise<Moved> {
  const back = await writing(ctx, async (ctx): Promise<Moved> => {
    const channel = await lockChannel(ctx.db, channelId);
    if (channel === undefined || channel.status === CHANNEL_STATUS.disabled) return 'none';
    const keyCameBack = await enableKeyRow(ctx.db, { channelId, keyId });
    const cameBack = await move(ctx, channelId, {
      from: CHANNEL_STATUS.auto_disabled,
      to: CHANNEL_STATUS.enabled,
      reason: '',
    });
    if (keyCameBack || cameBack) await announceChange(ctx.db, 'channels', channelId);
    if (cameBack) return 'channel';
    return keyCameBack ? 'key' : 'none';
  });
  if (back === 'channel') tellOfChannel(ctx, { channelId, reason: '', isEnabled: true });
  return back;
}

function reasonText(reason: string): string {
  return storable(reason.slice(0, REASON_LENGTH));
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
