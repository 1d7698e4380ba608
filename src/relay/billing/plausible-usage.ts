/**
 * Whether usage that an upstream reports can be true. Counts are not believed beyond the context of
 * the model, or far beyond what was sent and allowed: the gateway's own count is charged instead.
 */
import type { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { USUAL_CONTEXT } from '../../domain/pricing/model-limits.ts';
import { addedBy, toolModelsOf } from '../../domain/pricing/paid-fields.ts';
import { totalInput, totalOutput, type Usage } from '../../domain/pricing/usage.ts';
import type { Routed } from '../call/admitted.ts';
import type { Ports } from '../call/relay-ports.ts';
import { modelLimits } from '../translate/output-limit.ts';
import { holdQuantity } from './billed-quantities.ts';

/** Input that an upstream may add unseen, such as its own system prompt. */
const UNSEEN_TOKENS = 65_536;
/** Tokenizers and limits of upstreams may differ from what is known of them. */
const TOLERANCE = 2;
/** The first round, and the most that a vendor's tools add (`paid-fields.ts`). */
const ROUNDS = 11;
const MOST_USES = 100;
/** Limits of models may be larger than known. */
const LEAST_OUTPUT = 32_768;

/** Below these no bound needs to be computed, which reads the whole prompt. */
const SMALL = { input: 4_096, output: 256 } as const;

/** False for counts that the call cannot have used. */
export function isPlausible(
  relay: Ports<'ctx'>,
  call: Routed,
  { usage, delivered }: { readonly usage: Usage; readonly delivered: DeliveredContent },
): boolean {
  const input = totalInput(usage);
  const output = totalOutput(usage);
  const used = usage.webSearches + usage.fileSearches + usage.codeSessions;
  if (input <= SMALL.input && output <= SMALL.output && used === 0) return true;
  const { intent } = call;
  const { plan, upstreamModel } = call.route;
  const place = { model: upstreamModel, provider: plan.provider.slug };
  const { reads, passes, uses } = addedBy(intent.body, place);
  if (used > MOST_USES + TOLERANCE * (uses.web_search + uses.file_search)) return false;
  const isRepeated = usage.further !== undefined || passes > 0;
  const hasRounds = reads || isRepeated || toolModelsOf(intent.body).length > 0;
  const rounds = hasRounds ? ROUNDS : 1;
  const limits = modelLimits(relay, call);
  const arrived = delivered.chars + delivered.uncountedChars;
  const written = Math.max(intent.maxTokens ?? 0, limits.output, arrived, LEAST_OUTPUT);
  if (input <= intent.raw.length && output <= written) return true;
  const { promptTokens, audioTokens = 0, maxTokens = 0, answers = 1 } = holdQuantity(relay, call);
  const sent = TOLERANCE * (promptTokens + audioTokens);
  const longest = Math.max(limits.context ?? Number.POSITIVE_INFINITY, sent);
  const mostRead = rounds * Math.min(sent + UNSEEN_TOKENS, longest);
  const mostWritten = rounds * TOLERANCE * answers * Math.max(maxTokens, written);
  return input <= mostRead && output <= mostWritten;
}

/** The same for a response made in the background, of whose request only the length is kept. */
export function isPlausibleLater(usage: Usage, promptTokens: number): boolean {
  const read = Math.max(USUAL_CONTEXT, TOLERANCE * promptTokens);
  const isRead = totalInput(usage) <= ROUNDS * read;
  return isRead && totalOutput(usage) <= ROUNDS * TOLERANCE * USUAL_CONTEXT;
}
