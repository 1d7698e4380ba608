/** Imports redemption codes, payments, finished tasks and, if requested, the log. */
import {
  type ImportedRow,
  importedImageTask,
  importedLogEntry,
  importedRedemption,
  importedRedemptionUse,
  importedTask,
  importedTopUp,
} from '../../domain/import/history.ts';
import type { ImportedResource } from '../../domain/import/report.ts';
import { columnText, type SourceRow } from '../../domain/import/values.ts';
import { logTableOf } from '../../store/logs/log-database.ts';
import { insertEntries } from '../../store/logs/log-rows.ts';
import { insertOnce, insertRows } from '../../store/sql/inserts.ts';
import { mappedIds, saveImportProgress } from '../../store/tables/imports-table.ts';
import { importNoun } from './import-noun.ts';
import type { ImportRun } from './import-run.ts';

type Fields = Readonly<Record<string, string | number | boolean>>;

interface Candidate {
  readonly row: SourceRow;
  readonly fields: Fields;
}

export function importRedemptions(run: ImportRun): Promise<void> {
  return importNoun(run, 'redemptions', {
    candidates: (rows) => codesOf(run, rows),
    columns: ({ fields }) => fields,
  });
}

async function codesOf(run: ImportRun, rows: readonly SourceRow[]): Promise<Candidate[]> {
  const codes = await run.usedValues(
    'redemptions',
    'key',
    rows.map((row) => columnText(row.key)),
  );
  return rows.flatMap((row) => {
    const here = importedRedemption(row, run, run.changeReporter('redemptions', row));
    const fields = importedFields(run, 'redemptions', row, here);
    if (fields === undefined) return [];
    const key = String(fields.key);
    if (!codes.has(key)) {
      codes.add(key);
      return [{ row, fields }];
    }
    run.skip('redemptions', 'duplicate', row);
    return [];
  });
}

interface History {
  readonly resource: ImportedResource;
  readonly read: (run: ImportRun, row: SourceRow) => ImportedRow;
  /** Columns of a unique index: rows that violate it exist already. */
  readonly once?: readonly string[];
}

/** Read in id order; the position is saved with each batch. */
const HISTORIES: readonly History[] = [
  {
    resource: 'redemption_logs',
    read: (run, row) => importedRedemptionUse(row, run),
    once: ['redemption_id', 'user_id'],
  },
  { resource: 'top_ups', read: (run, row) => importedTopUp(row, run), once: ['trade_no'] },
  { resource: 'midjourneys', read: (run, row) => importedImageTask(row, run) },
  { resource: 'tasks', read: (run, row) => importedTask(row, run) },
];

const LOGS: History = {
  resource: 'logs',
  read: (run, row) => importedLogEntry(row, run.family, run),
};

export async function importHistories(run: ImportRun): Promise<void> {
  for (const history of HISTORIES) await importHistory(run, history, 0);
  if (run.options.logs) await importHistory(run, LOGS, run.options.sinceSec);
  else await reportSkippedLogs(run);
}

async function importHistory(
  run: ImportRun,
  { resource, read, once }: History,
  sinceSec: number,
): Promise<void> {
  if (!run.schema.has(resource)) return;
  const progress = await mappedIds(run.ctx.db, run.options.name, resource);
  const from = progress.get(0) ?? 0;
  const since = sinceSec > 0 ? { since: { column: 'created_at', atLeast: sinceSec } } : {};
  await run.history(resource, { from, ...since }, async (rows, lastId) => {
    const fields = rows
      .map((row) => importedFields(run, resource, row, read(run, row)))
      .filter((row) => row !== undefined);
    let written = fields.length;
    await run.write(resource, async (ctx) => {
      written = once === undefined ? fields.length : 0;
      if (resource === 'logs') await insertEntries(ctx.db, fields, logTableOf(ctx.logDatabase));
      else if (once === undefined && fields.length > 0) await insertRows(ctx.db, resource, fields);
      for (const row of once === undefined ? [] : fields)
        written += Number(await insertOnce(ctx.db, resource, row, once ?? ''));
      await saveImportProgress(ctx.db, run.options.name, resource, lastId);
    });
    run.report.count(resource, 'imported', written);
    if (written < fields.length) {
      run.report.count(resource, 'lost', fields.length - written);
      run.report.note(resource, 'duplicate', { count: fields.length - written });
    }
  });
  if (from > 0) run.report.count(resource, 'already', await run.countUpTo(resource, from));
}

function importedFields(
  run: ImportRun,
  resource: ImportedResource,
  row: SourceRow,
  here: ImportedRow,
): Fields | undefined {
  if ('fields' in here) return here.fields;
  run.skip(resource, here.skip, row);
  return undefined;
}

async function reportSkippedLogs(run: ImportRun): Promise<void> {
  if (!run.schema.has('logs')) return;
  const count = await run.source.count('logs');
  if (count === 0) return;
  run.report.count('logs', 'found', count);
  run.report.count('logs', 'lost', count);
  run.report.note('logs', 'not_asked', { field: '--logs', count });
}
