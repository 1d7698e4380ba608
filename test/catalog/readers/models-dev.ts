/** The models.dev catalogue: USD per million tokens. */
import { definedFields } from '../../../src/domain/defined-fields.ts';
import type { Modality } from '../../../src/domain/pricing/catalog/model-entry.ts';
import type { SourceModel } from '../source-model.ts';
import { positive, pricedVariants, ratesOf } from './amounts.ts';

interface Cost {
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly input_audio?: number;
  readonly output_audio?: number;
}

interface Model {
  readonly cost?: Cost & {
    readonly tiers?: readonly (Cost & {
      readonly tier: { readonly type: string; readonly size: number };
    })[];
  };
  readonly limit: { readonly context?: number; readonly output?: number };
  readonly modalities: {
    readonly input: readonly Modality[];
    readonly output: readonly Modality[];
  };
  readonly release_date: string;
  readonly open_weights: boolean;
  /** Cost by service tier. */
  readonly modes?: Readonly<Record<string, Cost>>;
}

export interface ModelsDevFile {
  readonly providers: Readonly<Record<string, Readonly<Record<string, Model>>>>;
  /** Model names that at least five providers list. */
  readonly served: readonly string[];
}

export function readModelsDev(file: ModelsDevFile, source: string): readonly SourceModel[] {
  return Object.entries(file.providers).flatMap(([provider, models]) =>
    Object.entries(models).map(([name, model]) => modelOf({ source, provider, name }, model)),
  );
}

const WHOLE_DATE = /^\d{4}-\d{2}-\d{2}$/;

function modelOf(id: Pick<SourceModel, 'source' | 'provider' | 'name'>, model: Model): SourceModel {
  const { cost = {}, limit, modalities, release_date } = model;
  const long = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === 'context')
    .map((one) => ({
      when: { prompt_above: one.tier.size },
      rates: ratesOf(costRates(one)),
    }));
  const tiers = Object.entries(model.modes ?? {}).map(([tier, one]) => ({
    when: { tier },
    rates: ratesOf(costRates(one)),
  }));
  return {
    ...id,
    rates: ratesOf(costRates(cost)),
    variants: pricedVariants([...long, ...tiers]),
    takes: modalities.input,
    gives: modalities.output,
    ...definedFields({
      context: positive(limit.context),
      output_limit: positive(limit.output),
      released: WHOLE_DATE.test(release_date) ? release_date : undefined,
      is_open: model.open_weights ? (true as const) : undefined,
    }),
  };
}

function costRates(cost: Cost) {
  return {
    input: cost.input,
    output: cost.output,
    cache_read: cost.cache_read,
    cache_write: cost.cache_write,
    audio_input: cost.input_audio,
    audio_output: cost.output_audio,
  };
}
