/** The price of tasks: per call, under the name of the model or of the model with its mode. */
import { findPrice, STRICT } from './find-price.ts';
import type { PerCallPrice } from './price.ts';
import type { PriceTables } from './price-tables.ts';
import type { PriceMoment } from './variants.ts';

const MODES = ['std', 'pro'] as const;

/** Of the price tables only; undefined if a task of this model has none, in whatever mode. */
export function taskPrice(
  tables: PriceTables,
  model: string,
  moment: PriceMoment,
): PerCallPrice | undefined {
  for (const requested of [model, ...MODES.map((mode) => `${model}-${mode}`)]) {
    const found = findPrice(tables, { requested }, STRICT, moment);
    if (found?.kind === 'per_call') return found;
  }
  return undefined;
}
