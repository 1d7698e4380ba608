/**
 * Entries as clients of this family of gateways compute charges of Claude: the flag `claude` says
 * that the prompt leaves out cached tokens, and that cache writes have a ratio of their own.
 */
import type { JsonFields } from '../json-fields.ts';
import { per, type TokenRates, times } from '../pricing/rates.ts';
import type { LogFacts } from './log-facts.ts';

/** The family has no other arithmetic that knows cache writes. */
function isClaude({ endpoint, cache_creation_tokens: written = 0 }: LogFacts): boolean {
  return endpoint === 'messages' || written > 0;
}

/**
 * The flag and the cache writes of such an entry; nothing for others.
 * @param facts the full form of the entry's facts
 * @param rates absent for a price per call
 */
export function claudeLogFacts(facts: LogFacts, rates: TokenRates | undefined): LogFacts {
  if (!isClaude(facts)) return {};
  const written = countIn(facts, 'cache_creation_tokens');
  const ratio = rates && meanWriteRatio(facts, rates);
  return {
    claude: true,
    cache_creation_tokens: written,
    ...(ratio !== undefined && { cache_creation_ratio: ratio }),
  };
}

/** Of writes with different lifetimes, as the family knows one ratio; undefined if all are usual. */
function meanWriteRatio({ usage: counts = {} }: LogFacts, rates: TokenRates): number | undefined {
  const hour = countIn(counts, 'cacheWrite1h');
  if (hour === 0) return undefined;
  const usual = countIn(counts, 'cacheWrite') + countIn(counts, 'cacheWrite5m');
  const usd = times(usual, rates.cache_write) + times(hour, rates.cache_write_1h);
  return per(usd, times(usual + hour, rates.input));
}

/** The prompt that an entry answers, from all of its input tokens. */
export function answeredPrompt(inputTokens: number, facts: LogFacts): number {
  // Entries of earlier imports have no `usage` and were stored without cached tokens.
  if (facts.claude !== true || facts.usage === undefined) return inputTokens;
  return Math.max(0, inputTokens - cachedIn(facts));
}

/** All input tokens of an answered entry, as sums count them. */
export function inputTokensOf(
  { prompt_tokens }: { readonly prompt_tokens: number },
  facts: LogFacts,
): number {
  return facts.claude === true ? prompt_tokens + cachedIn(facts) : prompt_tokens;
}

/** The facts of an entry of the family with the `usage` of the gateway's own ones. */
export function withClaudeUsage(
  counts: { readonly prompt_tokens: number; readonly completion_tokens: number },
  facts: LogFacts,
): LogFacts {
  if (facts.claude !== true) return facts;
  const usage = {
    input: counts.prompt_tokens,
    cacheRead: countIn(facts, 'cache_tokens'),
    cacheWrite: countIn(facts, 'cache_creation_tokens'),
    output: counts.completion_tokens,
  };
  return { ...facts, usage };
}

function cachedIn(facts: LogFacts): number {
  return countIn(facts, 'cache_tokens') + countIn(facts, 'cache_creation_tokens');
}

function countIn(counts: JsonFields, name: string): number {
  const count = counts[name];
  return typeof count === 'number' && count > 0 ? count : 0;
}
