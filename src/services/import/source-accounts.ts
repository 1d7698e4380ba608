/** Names accounts of the source in the report of an import. */
import {
  boolIn,
  columnText,
  intIn,
  isDeleted,
  type SourceRow,
} from '../../domain/import/values.ts';
import type { ImportRun } from './import-run.ts';

const BATCH_ROWS = 500;

/** The usernames at the source of the accounts with these ids. */
export async function sourceNamesOf(
  run: ImportRun,
  sourceIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(sourceIds);
  const names = new Map<number, string>();
  if (wanted.size === 0) return names;
  // Ids are read in order, so nothing before the first and behind the last is wanted.
  for (let last = Math.min(...wanted) - 1; names.size < wanted.size; ) {
    const rows = await run.source.rowsAfter('users', last, BATCH_ROWS);
    if (rows.length === 0) break;
    last = intIn(rows.at(-1)?.id);
    for (const row of rows)
      if (wanted.has(intIn(row.id))) names.set(intIn(row.id), columnText(row.username));
  }
  return names;
}

/** Tables of what an account needed beside its password, and whether a row is in use. */
const SECOND_FACTORS: Readonly<Record<string, (row: SourceRow) => boolean>> = {
  two_fas: (row) => boolIn(row.is_enabled) && !isDeleted(row),
  passkey_credentials: (row) => !isDeleted(row),
};

export const SECOND_FACTOR_TABLES = [...Object.keys(SECOND_FACTORS), 'two_fa_backup_codes'];

/** Names the imported accounts that their password alone opens from now on. */
export async function reportSecondFactors(run: ImportRun): Promise<void> {
  for (const [table, isUsed] of Object.entries(SECOND_FACTORS)) {
    if (!run.schema.has(table)) continue;
    const named = new Set<number>();
    for (let last = 0; !run.stopped; ) {
      const rows = await run.source.rowsAfter(table, last, BATCH_ROWS);
      if (rows.length === 0) break;
      last = intIn(rows.at(-1)?.id);
      const ids = rows.filter(isUsed).map((row) => intIn(row.user_id));
      const fresh = ids.filter((id) => run.user(id) > 0 && !named.has(id));
      for (const id of fresh) named.add(id);
      for (const [, name] of await sourceNamesOf(run, fresh))
        run.report.note('users', 'second_factor_dropped', { field: table, example: name });
    }
  }
}
