import { useFieldTexts } from '../fields/field-texts.ts';
import { DiffTable } from './DiffTable.tsx';
import type { MapChange } from './draft.ts';

/** The changes a save would make in maps, entry by entry. */
export function MapDiff({ changes }: { readonly changes: readonly MapChange[] }) {
  const { name } = useFieldTexts();
  const rows = changes.map(({ option, ...change }) => ({ label: name(option), ...change }));
  return <DiffTable rows={rows} />;
}
