/** Provider data of the npm package @earendil-works/pi-ai: USD per million tokens. */
import { definedFields } from '../../../../src/domain/defined-fields.ts';
import type { Modality } from '../../../../src/domain/pricing/catalog/model-entry.ts';
import { positive, pricedVariants } from '../../../../src/domain/pricing/price-file/offer.ts';
import type { CatalogueOffer } from '../source-model.ts';
import { ratesOf } from './amounts.ts';

interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Model {
  readonly cost: Cost & {
    readonly tiers?: readonly (Cost & { readonly inputTokensAbove: number })[];
  };
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly input: readonly Modality[];
}

export type PiAiFile = Readonly<Record<string, Readonly<Record<string, Model>>>>;

export function readPiAi(file: PiAiFile): readonly CatalogueOffer[] {
  return Object.entries(file).flatMap(([provider, models]) =>
    Object.entries(models).map(([name, model]) => ({
      provider,
      name,
      rates: ratesOf(costRates(model.cost)),
      variants: pricedVariants(
        (model.cost.tiers ?? []).map((tier) => ({
          when: { prompt_above: tier.inputTokensAbove },
          rates: ratesOf(costRates(tier)),
        })),
      ),
      takes: model.input,
      ...definedFields({
        context: positive(model.contextWindow),
        output_limit: positive(model.maxTokens),
      }),
    })),
  );
}

function costRates({ input, output, cacheRead, cacheWrite }: Cost) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}
