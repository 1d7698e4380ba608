/**
 * Determines the usage that an answer is billed by: the upstream's report, else the gateway's count
 * of what was delivered.
 */

import type { Counted } from '../../dialects/hub/answer/answer-reader.ts';
import type { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { addedBy } from '../../domain/pricing/paid-fields.ts';
import type { Price } from '../../domain/pricing/price.ts';
import {
  emptyUsage,
  firstPrompt,
  totalOutput,
  type Usage,
  withTier,
} from '../../domain/pricing/usage.ts';
import type { Routed } from '../call/admitted.ts';
import type { Billed } from '../call/call-end.ts';
import type { Ports } from '../call/relay-ports.ts';
import { type AnswerContents, callsFor, countContents } from './billed-quantities.ts';
import { isPlausible } from './plausible-usage.ts';

/** What arrived of the answer. */
export interface Arrived extends AnswerContents {
  readonly counted: Counted | undefined;
  /** The service tier named in the response headers (Gemini sends it). */
  readonly tier: string | undefined;
}

/**
 * What the answer is billed by; nothing if the upstream reported no usage and none may be estimated.
 */
export function billedFor(
  relay: Ports<'counter' | 'ctx'>,
  call: Routed,
  arrived: Arrived,
  mayEstimate: boolean,
): Awaitable<Billed> {
  const { delivered, units } = arrived;
  const reported = arrived.counted;
  const isBelieved =
    reported === undefined || isPlausible(relay, call, { usage: reported.usage, delivered });
  const counted = isBelieved ? reported : undefined;
  const doubt = isBelieved ? {} : { disbelieved: reported.usage };
  const answerText = relay.ctx.options().get('LogChatContentEnabled') ? delivered.text : '';
  const isWhole = counted !== undefined && !counted.isPartial;
  if (!isWhole && !mayEstimate) {
    const nothing = { usage: undefined, usageSource: '', units: undefined } as const;
    return { ...nothing, calls: call.calls, answerText, ...doubt };
  }
  const usageOf = (usage: Usage): Usage => {
    const counts = withImages(withSearches(usage, call), delivered, call.route.price);
    return withTier(counts, usage.tier ?? arrived.tier);
  };
  const calls = callsFor(call, units);
  if (isWhole) {
    relay.counter.promptReported(call.incoming.requestId, firstPrompt(counted.usage));
    return { usage: usageOf(counted.usage), usageSource: 'upstream', calls, units, answerText };
  }
  const isPricedByUnits = units !== undefined && call.route.price.kind === 'per_call';
  const usageSource = isPricedByUnits ? 'upstream' : 'estimated';
  return estimate(relay, call, arrived).then((estimated) => ({
    usage: usageOf(withPrompt(estimated, counted, delivered)),
    usageSource,
    calls,
    units,
    answerText,
    ...doubt,
  }));
}

/**
 * Some upstreams report no image tokens beside an image. Where images cost more than text, all output
 * but the reasoning then counts as the image.
 */
function withImages(usage: Usage, delivered: DeliveredContent, price: Price): Usage {
  if (price.kind !== 'per_token' || price.rates.image_output <= price.rates.output) return usage;
  if (!delivered.hasMedia || usage.imageOutput + usage.audioOutput > 0) return usage;
  return { ...usage, output: usage.reasoning, imageOutput: usage.output - usage.reasoning };
}

/** Searches that some providers make for each such request, and do not report. */
function withSearches(usage: Usage, { intent, route: { plan, upstreamModel } }: Routed): Usage {
  if (plan.pair?.isSame === false || usage.webSearches > 0) return usage;
  const place = { model: upstreamModel, provider: plan.provider.slug };
  const webSearches = addedBy(intent.body, place).unreportedSearches;
  return webSearches === 0 || totalOutput(usage) === 0 ? usage : { ...usage, webSearches };
}

/**
 * Combines the upstream's prompt count from before it broke off with the gateway's count of the
 * answer.
 */
function withPrompt(
  usage: Usage,
  counted: Counted | undefined,
  delivered: DeliveredContent,
): Usage {
  if (counted === undefined || delivered.isEmpty) return usage;
  return { ...counted.usage, output: usage.output, reasoning: 0 };
}

/** An answer without any content is not charged per token. */
async function estimate(
  relay: Ports<'counter'>,
  call: Routed,
  contents: AnswerContents,
): Promise<Usage> {
  const { endpoint } = call.incoming;
  const { delivered } = contents;
  const answersWithText = endpoint === 'chat' || endpoint === 'completions';
  if (answersWithText && delivered.isEmpty) return emptyUsage();
  const special = await countContents(relay, call, contents);
  if (special !== undefined) return special;
  const model = call.route.upstreamModel;
  const [input, output] = await Promise.all([
    relay.counter.countPrompt(model, endpoint, call.intent.body),
    delivered.chars === 0 ? 0 : relay.counter.countText(model, delivered.text),
  ]);
  // Text beyond the stored part counts as four characters per token.
  const beyond = Math.ceil(delivered.uncountedChars / 4);
  return { ...emptyUsage(), input, output: output + beyond };
}
