/** Detects upstream responses that contain no answer. */
import { totalInput, totalOutput, type Usage } from '../../../domain/pricing/usage.ts';
import type { DeliveredContent } from '../../openai/answer/delivered-content.ts';
import type { Stop } from './stop.ts';

/** Stop reasons that explain an answer without content. */
const EXPLAINED: ReadonlySet<Stop> = new Set(['max_tokens', 'context_full', 'refusal']);

/**
 * An answer has content, a tool call or a refusal, reports usage, or was cut off by a limit or a
 * filter. Responses from servers that fail with status 200 have none of these.
 */
export function hasAnswer(facts: {
  readonly delivered: DeliveredContent;
  readonly usage: Usage | undefined;
  readonly stops: readonly Stop[];
}): boolean {
  const { delivered, usage, stops } = facts;
  if (delivered.hasContent || stops.some((stop) => EXPLAINED.has(stop))) return true;
  return usage !== undefined && totalInput(usage) + totalOutput(usage) > 0;
}
