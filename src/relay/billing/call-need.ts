/** What a call must reserve before it is sent. */
import type { OptionValue } from '../../domain/options/registry.ts';
import { groupRatioOf } from '../../domain/pricing/find-price.ts';
import { type HoldInput, holdOf } from '../../domain/pricing/hold.ts';
import { isFree } from '../../domain/pricing/price.ts';
import { MAX_BOUNDED_BYTES } from '../../services/token-counter/counter.ts';
import type { CountedRequest } from '../../services/token-counter/known-prompts.ts';
import type { Routed } from '../call/admitted.ts';
import type { Intent } from '../call/call-intent.ts';
import type { Ports } from '../call/relay-ports.ts';
import { promptName } from '../routing/affinity-key.ts';
import { holdQuantity, type Quantity } from './billed-quantities.ts';
import { budgetsOf, holdsBudgets } from './counted-budgets.ts';
import { toolModelUnits } from './other-models.ts';

/** Below this limit an answer is not useful, so the call is refused instead. */
export const LEAST_TOKENS = 256;
/** A call whose limit is lowered may hold the cost of this many tokens, or its share if that is more. */
export const USEFUL_TOKENS = 4_096;

/** What a call must reserve of its caller's balance before it is sent. */
export interface Need {
  readonly units: number;
  /** The most tokens that the call can use, for budgets that count them. */
  readonly tokens: number;
  readonly mode: OptionValue<'MissingMaxTokens'>;
  /** The output limit that `units` covers; undefined if the output has none. */
  readonly limit: number | undefined;
  /** The call's maximum cost with this output limit. */
  readonly unitsFor: (maxTokens: number | undefined) => number;
  readonly tokensFor: (maxTokens: number | undefined) => number;
  /** A lowered limit of this many tokens may cost more than the call's share. */
  readonly usefulTokens: number;
}

/** The most that the call can be billed for; undefined for a free call that no budget counts. */
export function billableQuantity(
  relay: Ports<'budgets' | 'ctx'>,
  call: Routed,
): Quantity | undefined {
  return needsNoHold(relay, call) ? undefined : holdQuantity(relay, call);
}

export function needsNoHold(relay: Ports<'budgets'>, call: Routed): boolean {
  return isFree(call.route.price, call.route.groupRatio) && budgetsOf(relay, call).length === 0;
}

/**
 * What the call must reserve; undefined if its reservation covers that. Asked before every attempt,
 * as the next one may cost more.
 */
export function missingReservation(
  relay: Ports<'budgets' | 'ctx' | 'prices'>,
  call: Routed,
  quantity: Quantity,
): Need | undefined {
  const need = needOf(relay, call, quantity);
  const { reservation, cappedAt } = call;
  const reserved = reservation.hold?.userUnits ?? reservation.trusted?.units ?? 0;
  // With a limit set by the gateway, the hold covers that limit.
  const needed = cappedAt === undefined ? need.units : need.unitsFor(cappedAt);
  return reserved >= needed && holdsBudgets(relay, call) ? undefined : need;
}

/** The most tokens of the call's text, which are fewer than its bytes; undefined if not counted. */
export async function countedText(
  relay: Ports<'counter'>,
  call: Routed,
): Promise<number | undefined> {
  const text = textOf(call.intent);
  if (text === undefined) return undefined;
  return relay.counter.mostTokens(call.route.upstreamModel, text, countedRequest(call));
}

/** Undefined for a call that belongs to no conversation. */
function countedRequest(call: Routed): CountedRequest | undefined {
  const prompt = promptName(call);
  if (prompt === undefined) return undefined;
  const { caller, incoming } = call;
  const { channel, upstreamModel } = call.route;
  const conversation = `${caller.user.id} ${channel.id} ${prompt} ${upstreamModel}`;
  return { requestId: incoming.requestId, conversation };
}

/** Undefined for a form, and for a body that is too long to be counted. */
function textOf({ source, raw }: Intent): string | undefined {
  if (typeof source === 'string') return source === '' ? undefined : source;
  return raw.length > MAX_BOUNDED_BYTES ? undefined : raw.toString('utf8');
}

/** What the call must reserve, by the tokens of its text if they were counted. */
export function closerNeed(
  relay: Ports<'ctx' | 'prices'>,
  call: Routed,
  textTokens: number | undefined,
): Need {
  return needOf(relay, call, holdQuantity(relay, call, textTokens));
}

function needOf(relay: Ports<'ctx' | 'prices'>, call: Routed, quantity: Quantity): Need {
  const { caller } = call;
  const { price } = call.route;
  const tables = relay.prices();
  const options = relay.ctx.options();
  // Hold for the most expensive group that may serve the call in the end.
  const groupRatio = (caller.nextGroups ?? []).reduce(
    (highest, group) => Math.max(highest, groupRatioOf(tables, group)),
    call.route.groupRatio,
  );
  const unitsFor = (maxTokens: number | undefined): number => {
    const input = holdInput(quantity, maxTokens, options.get('PreConsumedQuota'));
    const others = toolModelUnits(relay, call, input, groupRatio);
    return holdOf(price, groupRatio, input, tables.quotaPerUnit) + others;
  };
  const mode = modeFor(quantity, options.get('MissingMaxTokens'));
  const limit = mode === 'trust' ? undefined : quantity.maxTokens;
  const tokensFor = (maxTokens = 0): number =>
    quantity.promptTokens + (quantity.audioTokens ?? 0) + maxTokens * (quantity.answers ?? 1);
  const usefulTokens = quantity.isRepeated ? LEAST_TOKENS : USEFUL_TOKENS;
  const [units, tokens] = [unitsFor(limit), tokensFor(limit)];
  return { units, tokens, mode, limit, unitsFor, tokensFor, usefulTokens };
}

/** With every field by name: a spread costs a microsecond (docs/performance.md). */
function holdInput(
  quantity: Quantity,
  maxTokens: number | undefined,
  preConsumedTokens: number,
): HoldInput {
  return {
    promptTokens: quantity.promptTokens,
    audioTokens: quantity.audioTokens,
    keepsHour: quantity.keepsHour,
    maxTokens,
    preConsumedTokens,
    answers: quantity.answers,
    hasAudioAnswer: quantity.hasAudioAnswer,
    tier: quantity.tier,
    uses: quantity.uses,
    calls: quantity.calls,
  } satisfies Record<keyof HoldInput, unknown>;
}

/** Only a missing limit is trusted; one that the call has is held in full. */
function modeFor({ isOpen, mayLower }: Quantity, policy: Need['mode']): Need['mode'] {
  const applies = policy === 'trust' ? isOpen : mayLower;
  return applies ? policy : 'refuse';
}
