/** What vendors publish as a rule for all their models instead of in each price. */
import type { Rates } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { rounded } from '../readers/amounts.ts';
import type { Draft } from './draft.ts';

export function completedDraft(draft: Draft): Draft {
  if (draft.rates === undefined) return draft;
  const { maker, name } = draft;
  return {
    ...draft,
    rates: { ...toolRates(maker, name, draft.rates), ...withHourWrites(maker, draft.rates) },
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

/** USD per 1,000 uses of the maker's tools, from its price page. The first matching row applies. */
const TOOLS: readonly (readonly [maker: string, name: RegExp, rates: Rates])[] = [
  ['google', /embedding|-tts|-live|translate|robotics/, {}],
  ['google', /^gemini-[12][.-]/, { web_search: 35 }],
  ['google', /^gemini-/, { web_search: 14 }],
  ['openai', /-search-preview/, { web_search: 25 }],
  ['anthropic', /^claude-(3-[57]|[a-z])/, { web_search: 10 }],
  ['xai', /^grok-([45]|build|code)/, { web_search: 5, file_search: 2.5, code_session: 5 }],
];

function toolRates(maker: string, name: string, { input }: Rates): Rates {
  const [, , rates = {}] =
    TOOLS.find(([one, pattern]) => one === maker && pattern.test(name)) ?? [];
  return input === undefined ? {} : rates;
}
