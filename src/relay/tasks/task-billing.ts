/**
 * Billing of a submission: a price per action, held before the upstream is called, and charged in
 * the transaction that marks the task as accepted.
 */
import { nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { chargeOf } from '../../domain/pricing/charge.ts';
import { findPrice, groupRatioOf, STRICT } from '../../domain/pricing/find-price.ts';
import type { PerCallPrice } from '../../domain/pricing/price.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import type { TaskColumns } from '../../domain/task.ts';
import type { TaskPlan } from '../../providers/tasks/task-provider.ts';
import { attemptOutcome } from '../../services/channels/channel-outcomes.ts';
import type { Entry, HeldUnits } from '../../store/ledger/ledger-operations.ts';
import { insertTask, publicIdColumn, taskTime } from '../../store/tables/task-rows.ts';
import { usedBy, windowsToCharge } from '../billing/counted-budgets.ts';
import { holdAmounts, holdRequest } from '../billing/make-hold.ts';
import { tokenUse } from '../billing/settle.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { TaskCall, TaskPrice } from './task-call.ts';
import { taskLogs } from './task-log-rows.ts';

const MAX_REASON = 1000;

/**
 * Ratios do not apply to tasks: a model without a price per call uses the provider's default price.
 * @throws AppError price_missing.
 */
export function priceOf(
  relay: Ports<'ctx' | 'prices'>,
  { group }: Caller,
  plan: TaskPlan,
): TaskPrice {
  const tables = relay.prices();
  const price = perCallPrice(relay, plan);
  const groupRatio = groupRatioOf(tables, group);
  const charge = chargeOf(price, groupRatio, emptyUsage(), tables.quotaPerUnit, plan.calls ?? 1);
  return { price, groupRatio, charge };
}

function perCallPrice(
  relay: Ports<'ctx' | 'prices'>,
  { model, priceName = model, usualPrice }: TaskPlan,
): PerCallPrice {
  const names = { requested: priceName, mapped: model };
  const found = findPrice(relay.prices(), names, STRICT, { atMs: relay.ctx.now() });
  if (found?.kind === 'per_call') return found;
  if (usualPrice === undefined) throw new AppError('price_missing', { model });
  return { kind: 'per_call', name: model, rule: 'fallback', model_price: usualPrice };
}

/**
 * Undefined for a free task that no budget counts. Budgets of channels do not count tasks, whose
 * hold is made before a channel is chosen.
 * @throws AppError quota_short, token_quota_short, budget_exhausted, budget_busy.
 */
export async function holdTask(
  relay: Ports<'budgets' | 'credit' | 'ctx'>,
  { caller, incoming, plan: { model }, price }: TaskCall,
): Promise<HeldUnits | undefined> {
  const { units } = price.charge;
  const call = { caller, incoming, intent: { model }, channel: undefined };
  const request = await holdRequest(relay, call);
  if (units === 0 && request.counted.length === 0) return undefined;
  return holdAmounts(relay, request, { units, tokens: 0 });
}

/** Inserts the task row in its submitting state; returns its id. */
export function openRow(relay: Ports<'ctx'>, call: TaskCall): Promise<number> {
  const { provider, plan, caller, incoming, publicId } = call;
  const { table, platform } = provider;
  const nowMs = relay.ctx.now();
  const own: TaskColumns =
    table === 'tasks'
      ? { platform, created_at: nowSec(relay.ctx), updated_at: nowSec(relay.ctx) }
      : {};
  return insertTask(relay.ctx.db, table, {
    ...own,
    ...provider.submitting,
    ...plan.columns,
    [publicIdColumn(table)]: publicId,
    action: plan.action,
    user_id: caller.user.id,
    token_id: caller.token.id,
    request_id: incoming.requestId,
    submit_time: taskTime(table, nowMs),
    notify_hook: plan.notifyHook,
  });
}

/** The upstream accepted the task: charges it once. */
export function settleAccepted(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  call: TaskCall,
  answer: { readonly upstreamId: string; readonly columns: TaskColumns },
): Promise<void> {
  return settle(relay, call, {
    isCharged: true,
    columns: { ...answer.columns, upstream_id: answer.upstreamId, quota: call.price.charge.units },
  });
}

/** No upstream accepted the task: charges nothing and stores the reason in the row. */
export function settleFailed(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  call: TaskCall,
  reason: string,
  columns: TaskColumns = {},
): Promise<void> {
  const over = {
    status: 'FAILURE',
    fail_reason: reason.slice(0, MAX_REASON),
    finish_time: taskTime(call.provider.table, relay.ctx.now()),
  };
  return settle(relay, call, { isCharged: false, columns: { ...columns, ...over } });
}

async function settle(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  call: TaskCall,
  end: { readonly isCharged: boolean; readonly columns: TaskColumns },
): Promise<void> {
  recordTaskOutcomes(relay, call);
  const { caller, incoming, provider, rowId, channel, keyId, hold } = call;
  const { units } = call.price.charge;
  relay.ctx.observer.taskEnded(call, end.isCharged, units);
  const logs = taskLogs(relay, call, end.isCharged);
  if (rowId === 0 && hold === undefined && logs.length === 0) return;
  const isPaid = end.isCharged && (units > 0 || hold?.windows !== undefined);
  const columns = { ...end.columns, channel_id: channel?.id ?? 0, key_id: keyId };
  const outcome = await relay.ctx.ledger.close({
    kind: 'close',
    requestId: incoming.requestId,
    hold,
    ...(isPaid ? { charge: entryOf(relay, call), ...tokenUse(relay, caller.token) } : {}),
    warnBelow: caller.user.warnBelow ?? relay.ctx.options().get('QuotaRemindThreshold'),
    logs,
    ...(rowId === 0 ? {} : { task: { table: provider.table, id: rowId, columns } }),
  });
  if (isPaid && outcome === 'done') {
    caller.user.freeView -= units;
    if (!caller.token.unlimited) caller.token.remainView -= units;
  }
}

function recordTaskOutcomes(
  { ctx, outcomes }: Ports<'ctx' | 'outcomes'>,
  { attempts }: TaskCall,
): void {
  for (const attempt of attempts) {
    const outcome = attemptOutcome(ctx, attempt, { isStream: false, atMs: ctx.now() });
    if (outcome !== undefined) outcomes.add(outcome);
  }
}

function entryOf(relay: Ports<'ctx'>, call: TaskCall): Entry {
  const { caller, incoming, plan, price, channel, hold } = call;
  const { units, exactUnits } = price.charge;
  return {
    key: `call:${incoming.requestId}`,
    cause: 'charge',
    userId: caller.user.id,
    tokenId: caller.token.id,
    channelId: channel?.id ?? 0,
    userUnits: -units,
    tokenUnits: -units,
    channelUnits: units,
    windows: windowsToCharge(hold?.windows, usedBy(units, undefined)),
    detail: JSON.stringify({
      model: plan.model,
      task: call.publicId,
      exact_units: exactUnits,
      held: hold?.userUnits ?? 0,
    }),
    createdAtSec: nowSec(relay.ctx),
  };
}
