/**
 * Imports an installation of LiteLLM or of the one-api, new-api or Veloera family. Each batch of rows is one
 * transaction together with its id mapping: an interrupted run continues where it stopped, and a
 * second run imports only new rows. Balances become opening entries in the ledger.
 */
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { LITELLM_TABLES, type SourceProgram, sourceProgramOf } from '../../domain/import/family.ts';
import {
  type ImportCounts,
  type ImportedResource,
  type ImportNote,
  ImportReport,
  type PriceLine,
} from '../../domain/import/report.ts';
import { columnText } from '../../domain/import/values.ts';
import type { ForeignDatabase } from '../../store/backup/import-source.ts';
import { beginImport, endImport, importByName } from '../../store/tables/imports-table.ts';
import { importChannels } from './channels.ts';
import { importHistories, importRedemptions } from './history.ts';
import { type ImportOptions, ImportRun } from './import-run.ts';
import { familySourceOf } from './litellm-source.ts';
import { importOptions } from './options.ts';
import { reportSecondFactors, SECOND_FACTOR_TABLES } from './source-accounts.ts';
import { importSubscriptions } from './subscriptions.ts';
import { importTokens } from './tokens.ts';
import { importInviters, importUsers } from './users.ts';

export interface ImportOutcome {
  readonly name: string;
  readonly family: SourceProgram;
  /** Version reported by the source; '' if it reports none. */
  readonly version: string;
  readonly location: string;
  readonly dry_run: boolean;
  /** False when the run was stopped: the next run continues. */
  readonly finished: boolean;
  readonly counts: readonly ({ readonly resource: ImportedResource } & ImportCounts)[];
  readonly notes: readonly ImportNote[];
  /** Models with a different built-in price in the source. */
  readonly prices: readonly PriceLine[];
}

/**
 * @throws AppError `import_source_unknown`, `import_source_own`; `import_name_taken` when the name
 * belongs to another installation.
 */
export async function importSite(
  ctx: Context,
  source: ForeignDatabase,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const family = sourceProgramOf(await source.schema());
  if (family === 'own') throw new AppError('import_source_own');
  if (family === 'unknown')
    throw new AppError('import_source_unknown', { location: source.location });
  await claimName(ctx, source, family, options);
  const run = await runOf(ctx, source, family, options);
  await importOptions(run);
  await importUsers(run);
  await importInviters(run);
  await importChannels(run);
  await importTokens(run);
  await importRedemptions(run);
  await importHistories(run);
  await importSubscriptions(run);
  await reportSecondFactors(run);
  await reportUnimported(run);
  const finished = !run.stopped;
  if (finished && !options.dryRun) await endImport(ctx.db, options.name, nowSec(ctx));
  return {
    name: options.name,
    family,
    version: await versionOf(run),
    location: source.location,
    dry_run: options.dryRun,
    finished,
    counts: run.report.counts(),
    notes: run.report.notes(),
    prices: run.report.prices(),
  };
}

/** LiteLLM's rows are read in the form of new-api, so both take the same path. */
async function runOf(
  ctx: Context,
  source: ForeignDatabase,
  program: SourceProgram,
  options: ImportOptions,
): Promise<ImportRun> {
  const report = new ImportReport();
  const shared = { ctx, options, report };
  if (program !== 'litellm')
    return new ImportRun({ ...shared, source, schema: await source.schema(), family: program });
  const unitsPerUsd = ctx.options().get('QuotaPerUnit');
  const read = await familySourceOf(source, { unitsPerUsd, balance: options.balance, report });
  return new ImportRun({ ...shared, source: read, schema: await read.schema(), family: 'new-api' });
}

async function claimName(
  ctx: Context,
  { location }: ForeignDatabase,
  family: SourceProgram,
  { name, dryRun }: ImportOptions,
): Promise<void> {
  const before = await importByName(ctx.db, name);
  if (before === undefined) {
    if (!dryRun) await beginImport(ctx.db, name, { family, location, atSec: nowSec(ctx) });
    return;
  }
  if (before.family !== family || before.location !== location)
    throw new AppError('import_name_taken', { name, location: before.location });
}

async function versionOf({ schema, source }: ImportRun): Promise<string> {
  if (!schema.get('setups')?.has('version')) return '';
  const rows = await source.allRows('setups');
  return columnText(rows.at(-1)?.version);
}

/** Tables that are not imported: derived from others, transient, or reported by account. */
const DERIVED: ReadonlySet<string> = new Set([
  ...['abilities', 'quota_data', 'setups', 'options', 'subscription_pre_consume_records'],
  ...SECOND_FACTOR_TABLES,
  ...Object.values(LITELLM_TABLES).map(({ name }) => name),
  '_prisma_migrations',
]);

/** Columns without a counterpart here. */
const UNIMPORTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ['lark_id', 'discord_id', 'stripe_customer', 'remark'],
  channels: ['header_override', 'settings', 'remark'],
  [LITELLM_TABLES.users.name]: ['rpm_limit', 'sso_user_id', 'object_permission_id', 'policies'],
  [LITELLM_TABLES.teams.name]: [
    'rpm_limit',
    'soft_budget',
    'model_id',
    'budget_limits',
    'policies',
  ],
  [LITELLM_TABLES.keys.name]: [
    ...['aliases', 'permissions', 'allowed_routes', 'allowed_cache_controls', 'budget_limits'],
    ...['object_permission_id', 'policies', 'rotation_interval'],
  ],
  [LITELLM_TABLES.budgets.name]: ['soft_budget'],
};

/** Reports tables and columns that hold data but have no counterpart here. */
async function reportUnimported(run: ImportRun): Promise<void> {
  const { schema, source, report } = run;
  const known = new Set<string>([...report.counts().map(({ resource }) => resource), ...DERIVED]);
  for (const table of schema.keys()) {
    if (known.has(table) || run.stopped) continue;
    const count = await source.count(table);
    if (count > 0) report.note('site', 'table_lost', { field: table, count });
  }
  for (const [table, columns] of Object.entries(UNIMPORTED_COLUMNS)) {
    for (const column of columns) {
      if (!schema.get(table)?.has(column)) continue;
      const values = await source.valuesOf(table, column);
      const count = values.filter((value) => !/^(?:|\{\}|null|\[\])$/.test(value.trim())).length;
      if (count > 0) report.note(table, 'column_lost', { field: column, count });
    }
  }
}
