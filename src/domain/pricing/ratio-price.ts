/** Reads prices that were recorded as ratios, by older versions and by other systems. */
import { familySearchPrice, TOOL_PRICES } from './family-rules.ts';
import type { PerTokenPrice, Price } from './price.ts';
import { completeRates, DEFAULT_RATIOS, scaledRates, type TokenRates, times } from './rates.ts';

type RecordedFields = Readonly<Record<string, unknown>>;

/** undefined without a `model_ratio`. Includes the factor of the service tier, if recorded. */
export function ratesOfRatios(fields: RecordedFields, name: string): TokenRates | undefined {
  const modelRatio = numberOf(fields.model_ratio);
  if (modelRatio === undefined) return undefined;
  const ratio = (field: string, fallback: number) => numberOf(fields[field]) ?? fallback;
  const input = times(2, modelRatio);
  const output = times(input, ratio('completion_ratio', DEFAULT_RATIOS.completion));
  const cacheWrite = ratio('cache_creation_ratio', DEFAULT_RATIOS.cacheCreation);
  const hourWrite = numberOf(fields.cache_creation_1h_ratio);
  const audio = times(input, ratio('audio_ratio', DEFAULT_RATIOS.audio));
  const rates = {
    input,
    output,
    cache_read: times(input, ratio('cache_ratio', DEFAULT_RATIOS.cache)),
    cache_write: times(input, cacheWrite),
    ...(hourWrite !== undefined && { cache_write_1h: times(input, hourWrite) }),
    audio_input: audio,
    audio_output: times(audio, ratio('audio_completion_ratio', DEFAULT_RATIOS.audioCompletion)),
  };
  return scaledRates(completeRates(rates, name), ratio('service_tier_ratio', 1));
}

/**
 * The price stored with a call that is still open. Versions before 2026-11-23 stored the ratios of
 * a price per token, and a factor per service tier.
 */
export function storedPrice(stored: Price): Price {
  if (stored.kind === 'per_call' || 'rates' in stored) return stored;
  const fields: RecordedFields = stored;
  const { name, rule }: PerTokenPrice = stored;
  const rates = ratesOfRatios(fields, name);
  if (rates === undefined) throw new Error(`the stored price of ${name} has no rates`);
  const variants = Object.entries(fields.tier_ratios ?? {}).map(([tier, factor]) => ({
    when: { tier },
    factor: numberOf(factor) ?? 1,
  }));
  return {
    kind: 'per_token',
    name,
    rule,
    rates,
    tools: {
      web_search: numberOf(fields.web_search_price) ?? familySearchPrice(name),
      file_search: numberOf(fields.file_search_price) ?? TOOL_PRICES.fileSearch,
      code_session: numberOf(fields.code_session_price) ?? TOOL_PRICES.codeSession,
    },
    ...(variants.length > 0 && { byAnswer: { base: rates, variants } }),
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
