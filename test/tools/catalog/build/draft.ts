/** A model under one name, before names of the same model are put together. */
import type {
  Modality,
  ModelEntry,
  Rates,
  RateVariant,
} from '../../../../src/domain/pricing/catalog/model-entry.ts';
import type { Facts, SourceModel } from '../source-model.ts';

export interface Draft extends Omit<ModelEntry, 'names' | 'variants'> {
  readonly name: string;
  /** How old the source of the price is: 0 for the newest catalogue. */
  readonly age: number;
  readonly variants: readonly RateVariant[];
}

export type PriceParts = Pick<SourceModel, 'rates' | 'variants'>;

/** The unit prices that a model is sold by; a model without one has no price. */
const BASES = ['input', 'call', 'second', 'character'] as const;

export function hasBase(rates: Rates | undefined): boolean {
  return BASES.some((kind) => rates?.[kind] !== undefined);
}

const MODALITIES: readonly Modality[] = ['text', 'image', 'audio', 'video', 'pdf'];

/** The larger limits: a hold must be an upper bound. pi-ai knows text and pictures only. */
export function mergedFacts(all: readonly Facts[]): Facts {
  const first = <K extends keyof Facts>(key: K) =>
    all.find((facts) => facts[key] !== undefined)?.[key];
  const largest = (key: 'context' | 'output_limit') => {
    const known = all.flatMap((facts) => facts[key] ?? []);
    return known.length > 0 ? Math.max(...known) : undefined;
  };
  const modalities = (key: 'takes' | 'gives') => {
    const known = MODALITIES.filter((one) => all.some((facts) => facts[key]?.includes(one)));
    return known.length > 0 ? known : undefined;
  };
  const facts: { readonly [K in keyof Facts]: Facts[K] | undefined } = {
    context: largest('context'),
    output_limit: largest('output_limit'),
    takes: modalities('takes'),
    gives: modalities('gives'),
    released: first('released'),
    retired: first('retired'),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
