/** The differences between effective prices and those of the price source, as table rows. */
import type * as z from 'zod/mini';
import type { SourceChanges as Reply } from '../../../../../src/api/billing/price-source.ts';
import type { PriceField } from '../../../../../src/domain/pricing/price-file/changes.ts';
import type { DiffRow } from '../sections/DiffTable.tsx';

export type SourceChanges = z.output<typeof Reply>;

export function sourceRows(
  items: SourceChanges['items'],
  labelOf: (field: PriceField) => string,
): DiffRow[] {
  return items.flatMap(({ price, changes }) =>
    changes.map(({ field, from, to }) => ({
      label: labelOf(field),
      name: price.model,
      before: from === null ? undefined : String(from),
      after: String(to),
    })),
  );
}
