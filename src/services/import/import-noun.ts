/**
 * Imports the rows of a table that get an id here: batch by batch, each in one transaction with the
 * ids, the ledger entries and whatever else belongs to the objects.
 */
import { nowSec } from '../../context.ts';
import { intIn, type SourceRow } from '../../domain/import/values.ts';
import { postAll } from '../../store/ledger/ledger.ts';
import type { Entry } from '../../store/ledger/ledger-operations.ts';
import { insertRows } from '../../store/sql/inserts.ts';
import { addMappings, type IdPair } from '../../store/tables/imports-table.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import type { ImportRun, MappedKind } from './import-run.ts';

interface HasRow {
  readonly row: SourceRow;
}

interface ImportedNoun<C extends HasRow> {
  /** What the rows of a batch become; rows that are left out are reported. */
  readonly candidates: (rows: readonly SourceRow[]) => readonly C[] | Promise<readonly C[]>;
  readonly columns: (candidate: C, id: number) => object;
  readonly entries?: (candidate: C, id: number) => readonly Entry[];
  /** Runs after the rows are inserted; `idOf` has the id of a candidate. */
  readonly finish?: (
    ctx: TxContext,
    candidates: readonly C[],
    idOf: (candidate: C) => number,
  ) => Promise<void>;
}

export async function importNoun<C extends HasRow>(
  run: ImportRun,
  kind: MappedKind,
  { candidates: candidatesOf, columns, entries = () => [], finish }: ImportedNoun<C>,
): Promise<void> {
  const map = await run.mapOf(kind);
  await run.forEachBatch(kind, async (rows) => {
    const candidates = await candidatesOf(rows);
    const idFor = await run.idsFor(
      kind,
      candidates.map(({ row }) => row),
    );
    const ids = new Map(candidates.map((one) => [one, idFor(intIn(one.row.id))]));
    const idOf = (candidate: C) => ids.get(candidate) ?? 0;
    const objects = candidates.map((one) => ({ ...columns(one, idOf(one)), id: idOf(one) }));
    const posted = candidates.flatMap((one) => entries(one, idOf(one)));
    const pairs = candidates.map((one): IdPair => [intIn(one.row.id), idOf(one)]);
    await run.write(kind, async (ctx) => {
      if (objects.length > 0) await insertRows(ctx.db, kind, objects);
      await addMappings(ctx.db, run.options.name, kind, pairs);
      await postAll(ctx.db, posted);
      await finish?.(ctx, candidates, idOf);
    });
    for (const [from, to] of pairs) map.set(from, to);
    run.report.count(kind, 'imported', pairs.length);
  });
}

/** The ledger entry of an imported object; `part` tells several of one object apart. */
export function importedEntry(
  { ctx, options }: ImportRun,
  { noun, row, part = '' }: HasRow & { readonly noun: string; readonly part?: string },
  amount: Omit<Entry, 'key' | 'actor' | 'detail' | 'createdAtSec'>,
): Entry {
  const id = intIn(row.id);
  return {
    ...amount,
    key: `import:${options.name}:${noun}:${id}${part}`,
    actor: 'operator',
    detail: JSON.stringify({ import: options.name, id }),
    createdAtSec: nowSec(ctx),
  };
}

/** What was granted and what was spent, so that the ledger shows both. */
export function grantAndSpent(
  { left, used }: { readonly left: number; readonly used: number },
  entryOf: (cause: 'granted' | 'past_charge', units: number) => Entry,
): readonly Entry[] {
  return [
    ...(left + used === 0 ? [] : [entryOf('granted', left + used)]),
    ...(used > 0 ? [entryOf('past_charge', -used)] : []),
  ];
}
