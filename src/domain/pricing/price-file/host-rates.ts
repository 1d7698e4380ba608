/** The rates of a host of a model in comparison with the list price of the model. */
import { definedFields } from '../../defined-fields.ts';
import type { Rates } from '../catalog/model-entry.ts';

const KINDS = ['input', 'output', 'cache_read'] as const;

/** A host that lists no price of cached input gives no discount. */
export function hostRates({ input, output, cache_read }: Rates, base: Rates): Rates {
  const cached = cache_read ?? (base.cache_read === undefined ? undefined : input);
  return definedFields({ input, output, cache_read: cached }) as Rates; // without undefined values
}

const ROUNDING = 0.005;

/** Whether the rates differ by more than a rounding. */
export function isOtherPrice(rates: Rates, base: Rates): boolean {
  return KINDS.some((kind) => {
    const amount = rates[kind];
    const usual = base[kind] ?? (kind === 'cache_read' ? base.input : 0) ?? 0;
    return amount !== undefined && Math.abs(amount - usual) > ROUNDING * Math.max(amount, usual);
  });
}
