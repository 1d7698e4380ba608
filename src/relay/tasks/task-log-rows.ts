/** Builds the log rows of a submission (docs/logs.md). */
import { factsText } from '../../domain/logs/log-facts.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { taskCostUnits } from '../../domain/pricing/channel-cost.ts';
import type { Charge } from '../../domain/pricing/charge.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { storedContent } from '../../services/logs/audit.ts';
import type { LogRow } from '../../store/logs/log-row.ts';
import { adminInfo, errorRows, rowOf } from '../billing/call-log-rows.ts';
import type { Ended } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Submission } from './task-call.ts';

/** One row for an accepted task, free or not, and one for each failed attempt. */
export function taskLogs(
  relay: Ports<'ctx' | 'prices'>,
  task: Submission,
  end: Ended,
  charge: Charge | undefined,
): LogRow[] {
  const rows = errorRows(relay, end, () => taskFacts(task));
  if (charge !== undefined && relay.ctx.options().get('LogConsumeEnabled'))
    rows.push(consumeRow(relay, task, end, charge));
  return rows;
}

function consumeRow(
  relay: Ports<'ctx' | 'prices'>,
  task: Submission,
  end: Ended,
  charge: Charge,
): LogRow {
  const { plan, price } = task;
  const { call } = end;
  const { channel, groupRatio } = call.route;
  const event = {
    event: 'task_charged',
    params: { action: plan.action, price: price.model_price, ratio: groupRatio },
  } as const;
  const facts = {
    ...event,
    model_price: price.model_price,
    group_ratio: groupRatio,
    price_name: price.name,
    price_rule: price.rule,
    exact_units: charge.exactUnits,
    held: call.reservation.hold?.userUnits ?? 0,
    ...taskFacts(task),
    admin_info: adminInfo(call),
  };
  return rowOf(relay, end, {
    type: LOG_TYPE.consume,
    content: storedContent(relay.ctx, event),
    quota: charge.units,
    cost: costOf(relay, task, end),
    promptTokens: 0,
    completionTokens: 0,
    usageSource: '',
    channelId: channel?.id ?? 0,
    tookMs: Math.max(0, relay.ctx.now() - call.incoming.receivedAtMs),
    other: factsText(facts),
  });
}

function taskFacts({ publicId, plan, provider }: Submission) {
  return { task_id: publicId, action: plan.action, platform: provider.platform };
}

/** What the channel that accepted the task charges for it; null if that is unknown. */
function costOf(
  relay: Ports<'prices'>,
  { price }: Submission,
  { calls, call }: Ended,
): number | null {
  const { channel, upstreamModel } = call.route;
  const costed = { price, upstreamModel, usage: emptyUsage(), calls };
  return taskCostUnits(channel?.cost, costed, relay.prices().quotaPerUnit);
}
