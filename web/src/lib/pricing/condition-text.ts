/** Words for the conditions of rates. */
import type { TFunction } from 'i18next';
import type { RateCondition } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { listText } from '../text/lists.ts';

/** All conditions, such as `prompt above 200,000 tokens, service tier priority`. */
export function conditionText(t: TFunction, when: RateCondition): string {
  const { prompt_above, is_marginal, tier, hours, from, until, provider } = when;
  const tokens = prompt_above === undefined ? undefined : numberText(prompt_above);
  const texts = [
    tokens && t(is_marginal ? 'rate.when.partAbove' : 'rate.when.above', { tokens }),
    tier && t('rate.when.tier', { tier }),
    hours && t('rate.when.hours', { from: hours.from, until: hours.until, zone: hours.zone }),
    from && t('rate.when.from', { day: from }),
    until && t('rate.when.until', { day: until }),
    provider && t('rate.when.provider', { provider }),
  ];
  return listText(texts.flatMap((text) => text || []));
}
