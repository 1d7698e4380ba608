/** The differences between effective prices and those of the price source, as rows to choose from. */
import type * as z from 'zod/mini';
import type { SourceChanges as Reply } from '../../../../../src/api/billing/price-source.ts';
import { partOfPrice } from '../../../../../src/domain/pricing/price-file/accept-price.ts';

export type SourceChanges = z.output<typeof Reply>;
type SourceItem = SourceChanges['items'][number];
export type SourceChange = SourceItem['changes'][number];

export interface SourceRow {
  readonly id: string;
  readonly model: string;
  readonly change: SourceChange;
}

export interface SourceModel {
  readonly model: string;
  /** Where and when the current price was published. */
  readonly origin: string;
  readonly rows: readonly SourceRow[];
}

export function sourceModels(items: SourceChanges['items']): readonly SourceModel[] {
  return items.map(({ price: { model }, changes, origin }) => ({
    model,
    origin,
    rows: changes.map((change) => ({
      id: `${model} ${change.field} ${JSON.stringify(change.when ?? null)}`,
      model,
      change,
    })),
  }));
}

/** What to take over: whole prices where all rows are chosen, otherwise their parts. */
export function chosenPrices(
  items: SourceChanges['items'],
  chosen: ReadonlySet<string>,
): SourceItem['price'][] {
  const models = sourceModels(items);
  return items.flatMap(({ price }, index) => {
    const rows = models[index]?.rows ?? [];
    const kept = rows.filter(({ id }) => chosen.has(id));
    if (kept.length === 0) return [];
    if (kept.length === rows.length) return [price];
    const { rates, variants } = partOfPrice(
      price,
      kept.map(({ change }) => change),
    );
    const isEmpty = Object.keys(rates).length + variants.length === 0;
    return isEmpty ? [] : [{ model: price.model, rates, variants: [...variants] }];
  });
}
