/** Builds the log rows of a submission (docs/logs.md). */
import { nowSec } from '../../context.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { taskCostUnits } from '../../domain/pricing/channel-cost.ts';
import { emptyUsage } from '../../domain/pricing/usage.ts';
import { storedContent } from '../../services/logs/audit.ts';
import type { LogRow } from '../../store/logs/log-row.ts';
import type { AttemptRecord } from '../call/call-stages.ts';
import type { Ports } from '../call/relay-ports.ts';
import { errorFacts, loggedMessage } from '../failures/attempt-results.ts';
import type { TaskCall } from './task-call.ts';

/** One row for an accepted task, free or not, and one for each failed attempt. */
export function taskLogs(
  relay: Ports<'ctx' | 'prices'>,
  call: TaskCall,
  isAccepted: boolean,
): LogRow[] {
  const options = relay.ctx.options();
  const failed = options.get('LogErrorEnabled')
    ? call.attempts.filter((attempt) => attempt.code !== '')
    : [];
  const rows = failed.map((attempt) => errorRow(relay, call, attempt));
  return isAccepted && options.get('LogConsumeEnabled') ? [...rows, consumeRow(relay, call)] : rows;
}

function consumeRow(relay: Ports<'ctx' | 'prices'>, call: TaskCall): LogRow {
  const { price, groupRatio, charge } = call.price;
  const event = {
    event: 'task_charged',
    params: { action: call.plan.action, price: price.model_price, ratio: groupRatio },
  } as const;
  return rowOf(relay, call, {
    type: LOG_TYPE.consume,
    content: storedContent(relay.ctx, event),
    quota: charge.units,
    cost: costOf(relay, call),
    channelId: call.channel?.id ?? 0,
    tookMs: Math.max(0, relay.ctx.now() - call.incoming.receivedAtMs),
    other: {
      ...event,
      model_price: price.model_price,
      group_ratio: groupRatio,
      price_name: price.name,
      price_rule: price.rule,
      exact_units: charge.exactUnits,
      held: call.hold?.userUnits ?? 0,
    },
  });
}

/** What the channel that accepted the task charges for it; null if that is unknown. */
function costOf(relay: Ports<'prices'>, { channel, plan, price }: TaskCall): number | null {
  const call = {
    price: price.price,
    upstreamModel: plan.model,
    usage: emptyUsage(),
    calls: plan.calls ?? 1,
  };
  return taskCostUnits(channel?.cost, call, relay.prices().quotaPerUnit);
}

function errorRow(relay: Ports<'ctx'>, call: TaskCall, attempt: AttemptRecord): LogRow {
  return rowOf(relay, call, {
    type: LOG_TYPE.error,
    content: loggedMessage(relay, attempt),
    quota: 0,
    cost: null,
    channelId: attempt.channel_id,
    tookMs: attempt.duration_ms,
    other: {
      ...errorFacts(attempt),
      channel_type: call.channel?.type ?? 0,
    },
  });
}

interface RowFacts {
  readonly type: number;
  readonly content: string;
  readonly quota: number;
  readonly cost: number | null;
  readonly channelId: number;
  readonly tookMs: number;
  readonly other: Readonly<Record<string, unknown>>;
}

function rowOf(relay: Ports<'ctx'>, call: TaskCall, facts: RowFacts): LogRow {
  const { caller, incoming, plan, provider, publicId, attempts } = call;
  const other = {
    ...facts.other,
    task_id: publicId,
    action: plan.action,
    platform: provider.platform,
    admin_info: { use_channel: attempts.map((one) => String(one.channel_id)), attempts },
  };
  return {
    request_id: incoming.requestId,
    user_id: caller.user.id,
    created_at: nowSec(relay.ctx),
    type: facts.type,
    content: facts.content,
    username: caller.user.username,
    token_name: caller.token.name,
    model_name: plan.model,
    quota: facts.quota,
    cost: facts.cost,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: Math.round(facts.tookMs / 1000),
    use_time_ms: facts.tookMs,
    first_token_ms: 0,
    is_stream: false,
    channel_id: facts.channelId,
    token_id: caller.token.id,
    group: caller.group,
    client_ip: caller.user.showsAddressInLogs ? incoming.address : '',
    usage_source: '',
    other: JSON.stringify(other),
  };
}
