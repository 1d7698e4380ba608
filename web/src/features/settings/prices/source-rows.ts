/** The differences between effective prices and those of the price source, as table rows. */
import type * as z from 'zod/mini';
import type { SourceChanges as Reply } from '../../../../../src/api/billing/price-source.ts';
import type { DiffRow } from '../sections/DiffTable.tsx';

export type SourceChanges = z.output<typeof Reply>;
type SourceChange = SourceChanges['items'][number]['changes'][number];

export function sourceRows(
  items: SourceChanges['items'],
  labelOf: (change: SourceChange) => string,
): DiffRow[] {
  return items.flatMap(({ price, changes }) =>
    changes.map((change) => ({
      label: labelOf(change),
      name: price.model,
      before: change.from === null ? undefined : String(change.from),
      after: change.to === null ? undefined : String(change.to),
    })),
  );
}
