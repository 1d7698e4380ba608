/** Refunds the owner of a failed task that was already charged, once. */
import { type Context, nowSec } from '../../context.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import type { TaskTable } from '../../domain/task.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { post } from '../../store/ledger/ledger.ts';
import { entriesByKey, windowsOfEntry } from '../../store/ledger/ledger-queries.ts';
import { logsOfRequest, type StoredLog } from '../../store/logs/log-rows.ts';
import type { StoredTask } from '../../store/tables/task-rows.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';
import { reenableToken } from '../tokens/token-status.ts';

/**
 * `reason` is a stored text (`storedText`). Call it in the transaction that marked the unfinished
 * task as failed. The ledger key is derived from the task, so that a task that fails twice is
 * refunded only once.
 */
export async function refundTask(ctx: TxContext, task: StoredTask, reason: string): Promise<void> {
  const { quota, userId, tokenId, channelId, requestId } = task;
  if (quota <= 0) return;
  const chargeKey = `call:${requestId}`;
  const charged = await windowsOfEntry(ctx.db, chargeKey);
  const [charge] = await entriesByKey(ctx.db, [chargeKey]);
  const { model } = parsedObject(charge?.detail ?? '');
  const outcome = await post(ctx.db, {
    key: refundKey(task),
    cause: 'refund',
    userId,
    tokenId,
    channelId,
    userUnits: quota,
    tokenUnits: tokenId === 0 ? 0 : quota,
    channelUnits: -quota,
    windows: charged?.map((window) => ({ ...window, amount: -window.amount })),
    detail: JSON.stringify({ task: task.publicId, action: task.action, model }),
    createdAtSec: nowSec(ctx),
  });
  if (outcome !== 'done') return;
  if (tokenId !== 0) await reenableToken(ctx, tokenId);
  await recordRefund(ctx, task, reason);
}

/**
 * The entry has the same model, token and group as the charge's, so that sums include both. If
 * charges are not logged, refunds are not either: sums would fall below zero.
 */
async function recordRefund(ctx: TxContext, task: StoredTask, reason: string): Promise<void> {
  const { quota, userId, tokenId, channelId, requestId } = task;
  const charged = await chargeEntryOf(ctx, requestId);
  if (charged === undefined && !ctx.options().get('LogConsumeEnabled')) return;
  const names = await usernamesOf(ctx.db, [userId]);
  await recordAction(
    ctx,
    { kind: 'operator' },
    {
      action: 'task_refund',
      event: {
        event: 'task_refunded',
        params: { action: task.action, task: task.publicId, units: quota, reason },
      },
      user: { id: userId, username: names.get(userId) ?? '' },
      type: LOG_TYPE.refund,
      quota,
      facts: { task_id: task.publicId },
      columns: {
        request_id: requestId,
        token_id: tokenId,
        channel_id: channelId,
        ...(charged && {
          token_name: charged.token_name,
          model_name: charged.model_name,
          group: charged.group,
          // The upstream may have charged nevertheless, so the cost of the charge stays.
          cost: charged.cost === null ? null : 0,
        }),
      },
    },
  );
}

async function chargeEntryOf(ctx: TxContext, requestId: string): Promise<StoredLog | undefined> {
  if (requestId === '') return undefined;
  const entries = await logsOfRequest(ctx.logDatabase.reads, requestId);
  return entries.find(({ type }) => type === LOG_TYPE.consume);
}

export interface ListedTask {
  readonly id: number;
  readonly request_id: string;
  readonly quota: number;
  readonly status: string;
}

/** The ids of those tasks of a table whose quota was given back. */
export async function refundedTaskIds(
  ctx: Context,
  table: TaskTable,
  rows: readonly ListedTask[],
): Promise<ReadonlySet<number>> {
  const failed = rows.filter(({ status, quota }) => status === 'FAILURE' && quota > 0);
  if (failed.length === 0) return new Set();
  const keys = new Map(
    failed.map(({ id, request_id: requestId }) => [refundKey({ requestId, table, id }), id]),
  );
  const entries = await entriesByKey(ctx.reads, [...keys.keys()]);
  return new Set(entries.flatMap(({ key }) => keys.get(key) ?? []));
}

/** Based on the request that created the task; rows of older sites have none. */
function refundKey({
  requestId,
  table,
  id,
}: Pick<StoredTask, 'requestId' | 'table' | 'id'>): string {
  return `refund:task:${requestId || `${table}-${id}`}`;
}
