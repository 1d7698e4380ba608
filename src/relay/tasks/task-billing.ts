/**
 * Billing of a submission: a price per action, held before the upstream is called, and charged in
 * the transaction that marks the task as accepted.
 */
import { nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { chargeOf } from '../../domain/pricing/charge.ts';
import { findPrice, STRICT } from '../../domain/pricing/find-price.ts';
import type { PerCallPrice } from '../../domain/pricing/price.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import type { TaskColumns } from '../../domain/task.ts';
import type { AcceptedTask, TaskPlan } from '../../providers/tasks/task-provider.ts';
import { insertTask, publicIdColumn, taskTime } from '../../store/tables/task-rows.ts';
import { holdsBudgets, windowsOf } from '../billing/counted-budgets.ts';
import { releaseReservation } from '../billing/hold.ts';
import { holdAmounts, holdRequest, withHold } from '../billing/make-hold.ts';
import { addOutcomes, chargeFor, closeCall, ledgerEntry } from '../billing/settle.ts';
import type { Admitted } from '../call/admitted.ts';
import { type Ended, ended } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Submission } from './task-call.ts';
import { taskLogs } from './task-log-rows.ts';

const MAX_REASON = 1000;

/**
 * Ratios do not apply to tasks: a model without a price per call uses the provider's default price.
 * @throws AppError price_missing.
 */
export function priceOf(
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
 * Holds nothing for a free task that no budget counts.
 * @throws AppError quota_short, token_quota_short, budget_exhausted, budget_busy, channels_full.
 */
export async function holdTask(
  relay: Ports<'budgets' | 'credit' | 'ctx' | 'prices'>,
  { price }: Submission,
  call: Admitted,
): Promise<Admitted> {
  const { quotaPerUnit } = relay.prices();
  const { units } = chargeOf(price, call.route.groupRatio, emptyUsage(), quotaPerUnit, call.calls);
  const request = await holdRequest(relay, call);
  if (units === 0 && request.counted.length === 0) return call;
  return withHold(call, await holdAmounts(relay, request, { units, tokens: 0 }), undefined);
}

/**
 * Makes the hold again if the budgets of the chosen channel are not those that it counts in: the
 * first one is made before a channel is chosen. Nothing is reserved where it throws.
 * @throws AppError as `holdTask`.
 */
export async function holdAtChannel(
  relay: Ports<'budgets' | 'credit' | 'ctx' | 'prices'>,
  task: Submission,
  call: Admitted,
): Promise<Admitted> {
  if (holdsBudgets(relay, call)) return call;
  return holdTask(relay, task, await releaseReservation(relay, call));
}

/** Inserts the task row in its submitting state; returns its id. */
export function openRow(
  relay: Ports<'ctx'>,
  { provider, plan, publicId }: Submission,
  { caller, incoming }: Admitted,
): Promise<number> {
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

/** The upstream accepted the task: charges it once. `rowId` is 0 before the row is inserted. */
export function settleAccepted(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  task: Submission,
  call: Admitted,
  { rowId, answer }: { readonly rowId: number; readonly answer: AcceptedTask },
): Promise<void> {
  const end = ended(call, { ending: 'answered', usage: emptyUsage() });
  const columns = { ...answer.columns, upstream_id: answer.upstreamId };
  return settle(relay, task, end, { rowId, columns });
}

/** No upstream accepted the task: charges nothing and stores the reason in the row. */
export function settleFailed(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  task: Submission,
  call: Admitted,
  { rowId, reason, columns }: { rowId: number; reason: string; columns: TaskColumns | undefined },
): Promise<void> {
  const over = {
    status: 'FAILURE',
    fail_reason: reason.slice(0, MAX_REASON),
    finish_time: taskTime(task.provider.table, relay.ctx.now()),
  };
  const end = ended(call, { ending: 'failed' });
  return settle(relay, task, end, { rowId, columns: { ...columns, ...over } });
}

async function settle(
  relay: Ports<'ctx' | 'outcomes' | 'prices'>,
  task: Submission,
  end: Ended,
  { rowId, columns }: { readonly rowId: number; readonly columns: TaskColumns },
): Promise<void> {
  addOutcomes(relay, end);
  const { incoming, attempts, reservation, route } = end.call;
  const { channel, keyId } = route;
  const { plan, publicId, provider } = task;
  const charge = chargeFor(relay, end);
  const units = charge?.units ?? 0;
  relay.ctx.observer.taskEnded({ incoming, attempts, channel, plan }, charge !== undefined, units);
  const isPosted = units > 0 || windowsOf(reservation) !== undefined;
  const row = {
    ...columns,
    ...(charge && { quota: units }),
    channel_id: channel?.id ?? 0,
    key_id: keyId,
  };
  const held = reservation.hold?.userUnits ?? 0;
  const detail = { model: plan.model, task: publicId, exact_units: charge?.exactUnits, held };
  await closeCall(relay, end, {
    entry: charge && isPosted ? ledgerEntry(relay, end, charge, JSON.stringify(detail)) : undefined,
    logs: taskLogs(relay, task, end, charge),
    task: rowId === 0 ? undefined : { table: provider.table, id: rowId, columns: row },
  });
}
