/**
 * Determines the usage that an answer is billed by: the upstream's report, else the gateway's count
 * of what was delivered.
 */
import type { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import type { Price } from '../../domain/pricing/price.ts';
import { emptyUsage, type Usage, withTier } from '../../domain/pricing/usage.ts';
import type { CallRecord } from '../call/call-record.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { Counted } from '../translate/stream-reader.ts';
import { type AnswerContents, callsFor, countContents } from './billed-quantities.ts';

/**
 * Does nothing if the upstream reported no usage and none may be estimated; such an answer costs
 * nothing.
 */
export function fillUsage(
  relay: Relay,
  record: CallRecord,
  contents: AnswerContents & { readonly counted: Counted | undefined },
  mayEstimate: boolean,
): Awaitable<void> {
  const { counted, delivered, units } = contents;
  if (relay.ctx.options().get('LogChatContentEnabled')) record.answerText = delivered.text;
  const isWhole = counted !== undefined && !counted.isPartial;
  if (!isWhole && !mayEstimate) return;
  record.units = units;
  record.calls = callsFor(record, units);
  if (isWhole) return setUsage(record, counted.usage, delivered, 'upstream');
  const isPricedByUnits = units !== undefined && record.price?.kind === 'per_call';
  const source = isPricedByUnits ? 'upstream' : 'estimated';
  return estimate(relay, record, contents).then((estimated) =>
    setUsage(record, withPrompt(estimated, counted, delivered), delivered, source),
  );
}

function setUsage(
  record: CallRecord,
  usage: Usage,
  delivered: DeliveredContent,
  source: CallRecord['usageSource'],
): void {
  const counts = withImages(usage, delivered, record.price);
  record.usage = withTier(counts, usage.tier ?? record.answeredTier);
  record.usageSource = source;
}

/**
 * Some upstreams report no image tokens beside an image. Where images cost more than text, all output
 * but the reasoning then counts as the image.
 */
function withImages(usage: Usage, delivered: DeliveredContent, price: Price | undefined): Usage {
  if (price?.kind !== 'per_token' || price.rates.image_output <= price.rates.output) return usage;
  if (!delivered.hasMedia || usage.imageOutput + usage.audioOutput > 0) return usage;
  return { ...usage, output: usage.reasoning, imageOutput: usage.output - usage.reasoning };
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
  relay: Relay,
  record: CallRecord,
  contents: AnswerContents,
): Promise<Usage> {
  const { endpoint } = record.incoming;
  const { delivered } = contents;
  const answersWithText = endpoint === 'chat' || endpoint === 'completions';
  if (answersWithText && delivered.isEmpty) return emptyUsage();
  const special = await countContents(relay, record, contents);
  if (special !== undefined) return special;
  const model = record.upstreamModel;
  const [input, output] = await Promise.all([
    relay.counter.countPrompt(model, endpoint, record.intent.body),
    delivered.chars === 0 ? 0 : relay.counter.countText(model, delivered.text),
  ]);
  // Text beyond the stored part counts as four characters per token.
  const beyond = Math.ceil(delivered.uncountedChars / 4);
  return { ...emptyUsage(), input, output: output + beyond };
}
