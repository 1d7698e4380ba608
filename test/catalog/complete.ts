/** What vendors publish as a rule for all their models instead of in each price. */
import type { Rates } from '../../src/domain/pricing/catalog/model-entry.ts';
import type { Draft } from './draft.ts';
import { rounded } from './readers/amounts.ts';

export function completedDraft(draft: Draft): Draft {
  if (draft.rates === undefined) return draft;
  const { maker, name } = draft;
  return {
    ...draft,
    rates: { ...searchRate(maker, name, draft.rates), ...withHourWrites(maker, draft.rates) },
    variants: draft.variants.map((variant) =>
      variant.rates ? { ...variant, rates: withHourWrites(maker, variant.rates) } : variant,
    ),
  };
}

/** Anthropic: writes for an hour cost twice the input (platform.claude.com, pricing). */
function withHourWrites(maker: string, rates: Rates): Rates {
  if (maker !== 'anthropic' || rates.input === undefined || rates.cache_write === undefined)
    return rates;
  return { ...rates, cache_write_1h: rounded(rates.input * 2) };
}

/** USD per 1,000 searches of the model, from the makers' price pages. */
const SEARCHES: readonly (readonly [maker: string, name: RegExp, usd: number])[] = [
  ['google', /embedding|-tts|-live|translate|robotics/, 0],
  ['google', /^gemini-[12][.-]/, 35],
  ['google', /^gemini-/, 14],
  ['openai', /-search-preview/, 25],
  ['anthropic', /^claude-(3-[57]|[a-z])/, 10],
];

function searchRate(maker: string, name: string, rates: Rates): Rates {
  const [, , usd = 0] =
    SEARCHES.find(([one, pattern]) => one === maker && pattern.test(name)) ?? [];
  return usd > 0 && rates.input !== undefined ? { web_search: usd } : {};
}
