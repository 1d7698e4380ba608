/** Price tables for the tests of prices and charges. */
import { mergeTables, priceBookTables } from '../../src/domain/pricing/price-book/tables.ts';
import { findPrice, type Price, type PriceTables } from '../../src/domain/pricing/pricing.ts';

export const UNIT = 500_000;
export const STRICT = { selfUse: false, acceptUnset: false };

export function tablesWith(
  overrides: Parameters<typeof mergeTables>[1] = {},
  rest: Partial<PriceTables> = {},
): PriceTables {
  return {
    ...mergeTables(priceBookTables(), overrides),
    fallback: undefined,
    tierRatios: new Map(),
    groupRatio: new Map([['default', 1]]),
    quotaPerUnit: UNIT,
    ...rest,
  };
}

export function priceOf(model: string, tables = tablesWith()): Price {
  const price = findPrice(tables, { requested: model }, STRICT);
  if (!price) throw new Error(`no price for ${model}`);
  return price;
}
