/**
 * The sums of the ledger per account (`ledger_sums`) up to an id (`ledger_runs`). They change in
 * small transactions of their own, so that no commit of a call waits for the row of a channel, and
 * no report reads the whole ledger.
 */
import type { Knex } from 'knex';
import type { Databases } from '../connection/database.ts';
import { inTransaction } from '../connection/transaction.ts';
import { insertOnce } from '../sql/inserts.ts';
import { numberValue, textValue } from '../sql/read-rows.ts';
import { engineOf, type Row, rowsOf } from '../sql/sql-dialect.ts';
import { exact } from './bulk-increments.ts';
import { settledEntryId } from './settled-entries.ts';

export type SummedTable = 'users' | 'tokens' | 'channels';

const SPENT = `case when cause in ('charge', 'refund', 'past_charge') then`;

/** The ledger column of an account, and the sums over its entries. */
export const SUMS: Readonly<
  Record<SummedTable, { readonly id: string; readonly units: string; readonly spent: string }>
> = {
  users: {
    id: 'user_id',
    units: 'sum(user_units)',
    spent: `-sum(${SPENT} user_units else 0 end)`,
  },
  tokens: {
    id: 'token_id',
    units: 'sum(token_units)',
    spent: `-sum(${SPENT} token_units else 0 end)`,
  },
  channels: { id: 'channel_id', units: 'sum(channel_units)', spent: '0' },
};

/** A run over the ledger: all entries up to `summedId`, `entries` in number, are in its sums. */
export interface LedgerRun {
  readonly run: number;
  readonly summedId: number;
  readonly entries: number;
}

const FIRST_RUN = 1;
/** Ids per transaction: few enough that calls hardly wait on SQLite. */
const BATCH_IDS = 20_000;

/** Adds the entries that were appended. Safe to run anywhere at any time. */
export async function sumLedger(
  databases: Pick<Databases, 'engine' | 'db' | 'reads'>,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const upToId = await settledEntryId(databases);
  if (upToId === undefined) return;
  let isBehind = (await currentRun(databases.reads)).summedId < upToId;
  while (isBehind) {
    signal?.throwIfAborted();
    isBehind = await inTransaction(databases, async ({ db }) => {
      const run = await lockCurrentRun(db);
      return (await sumBatch(db, run, upToId)).summedId < upToId;
    });
  }
}

export async function currentRun(reads: Knex): Promise<LedgerRun> {
  return readRun(await reads('ledger_runs').orderBy('run').first());
}

function readRun(row: Row | undefined): LedgerRun {
  return {
    run: numberValue(row?.run),
    summedId: numberValue(row?.summed_id),
    entries: numberValue(row?.entries),
  };
}

async function lockCurrentRun(trx: Knex.Transaction): Promise<LedgerRun> {
  for (;;) {
    const row: Row | undefined = await trx('ledger_runs').orderBy('run').forUpdate().first();
    if (row !== undefined) return readRun(row);
    // PostgreSQL finds nothing if the row was deleted by the transaction that it waited for.
    if ((await currentRun(trx)).run === 0)
      await insertOnce(trx, 'ledger_runs', { run: FIRST_RUN }, 'run');
  }
}

/** Adds the next entries, at most up to an id; the caller holds the lock of the run. */
async function sumBatch(
  trx: Knex.Transaction,
  { run, summedId, entries }: LedgerRun,
  upToId: number,
): Promise<LedgerRun> {
  if (summedId >= upToId) return { run, summedId, entries };
  const reachedId = Math.min(upToId, summedId + BATCH_IDS);
  const range = `id > ${summedId} and id <= ${reachedId}`;
  const added =
    engineOf(trx) === 'mysql'
      ? `on duplicate key update units = ledger_sums.units + values(units), spent = ledger_sums.spent + values(spent)`
      : `on conflict (run, account, account_id) do update
         set units = ledger_sums.units + excluded.units, spent = ledger_sums.spent + excluded.spent`;
  for (const [account, { id, units, spent }] of Object.entries(SUMS))
    await trx.raw(
      `insert into ledger_sums (run, account, account_id, units, spent)
       select ${run}, '${account}', ${id}, ${units}, ${spent} from ledger
       where ${range} and ${id} <> 0 group by ${id} ${added}`,
    );
  const row: Row | undefined = await trx('ledger').whereRaw(range).count({ n: '*' }).first();
  const next = { run, summedId: reachedId, entries: entries + numberValue(row?.n) };
  await trx('ledger_runs')
    .where({ run })
    .update({ summed_id: next.summedId, entries: next.entries });
  return next;
}

export interface ChangedSum {
  readonly account: SummedTable;
  readonly id: number;
  /** As it was, and as summed again. */
  readonly before: number;
  readonly now: number;
}

/**
 * Sums the ledger again from its first entry and replaces the sums. Returns at most `limit` that
 * have changed, which only changed entries can cause; none if a later run was faster.
 */
export async function sumLedgerAgain(
  databases: Pick<Databases, 'engine' | 'db' | 'reads'>,
  limit: number,
): Promise<ChangedSum[]> {
  await sumLedger(databases);
  const run = await startRun(databases);
  for (;;) {
    const upToId = (await currentRun(databases.reads)).summedId;
    const next = await inTransaction(databases, async ({ db }) => {
      const own: Row | undefined = await db('ledger_runs').where({ run }).forUpdate().first();
      return own && sumBatch(db, readRun(own), upToId);
    });
    if (next === undefined) return [];
    if (next.summedId >= upToId) break;
  }
  const changed = await inTransaction(databases, ({ db }) => replaceRun(db, run, limit));
  await databases.db('ledger_sums').where('run', '<', run).delete();
  return changed;
}

function startRun(databases: Pick<Databases, 'db' | 'reads'>): Promise<number> {
  return inTransaction(databases, async ({ db }) => {
    await lockCurrentRun(db);
    const last: Row | undefined = await db('ledger_runs').max({ run: 'run' }).first();
    const run = numberValue(last?.run) + 1;
    await db('ledger_runs').insert({ run });
    return run;
  });
}

async function replaceRun(
  trx: Knex.Transaction,
  run: number,
  limit: number,
): Promise<ChangedSum[]> {
  const current = await lockCurrentRun(trx);
  const own: Row | undefined = await trx('ledger_runs').where({ run }).forUpdate().first();
  if (own === undefined) return [];
  let next = readRun(own);
  while (next.summedId < current.summedId) next = await sumBatch(trx, next, current.summedId);
  const sumOf = (of: number) =>
    trx.raw('sum(case when ?? = ? then ?? else 0 end)', ['run', of, 'units']);
  const rows: Row[] = await trx('ledger_sums')
    .whereIn('run', [current.run, run])
    .groupBy('account', 'account_id')
    .havingRaw('? <> ?', [sumOf(current.run), sumOf(run)])
    .orderBy(['account', 'account_id'])
    .limit(limit)
    .select('account', 'account_id', { before: sumOf(current.run), now: sumOf(run) });
  await trx('ledger_runs').where('run', '<', run).delete();
  return rows.map((row) => ({
    account: textValue(row.account) as SummedTable, // only `sumBatch` writes this column
    id: numberValue(row.account_id),
    before: numberValue(row.before),
    now: numberValue(row.now),
  }));
}

/** What each of these channels was charged for, less refunds. Entries that are not summed yet are read. */
export function channelUse(
  reads: Knex,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  return unitsOf(reads, 'channels', ids);
}

/** The sum of all entries of a user: what the balance must be. */
export async function unitsOfUser(reads: Knex, userId: number): Promise<number> {
  return (await unitsOf(reads, 'users', [userId])).get(userId) ?? 0;
}

async function unitsOf(
  reads: Knex,
  account: SummedTable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map();
  const list = [...new Set(ids)].map(exact).join(',');
  const { id, units } = SUMS[account];
  const current = (column: string) =>
    `coalesce((select ${column} from ledger_runs order by run limit 1), 0)`;
  // One statement, so that an entry is in the sums or after them, never in both.
  const rows = rowsOf(
    await reads.raw(
      `select account_id, sum(units) as units from (
         select account_id, units from ledger_sums
         where run = ${current('run')} and account = '${account}' and account_id in (${list})
         union all
         select ${id} as account_id, ${units} as units from ledger
         where id > ${current('summed_id')} and ${id} in (${list}) group by ${id}
       ) as s group by account_id`,
    ),
  );
  return new Map(rows.map((row) => [numberValue(row.account_id), numberValue(row.units)]));
}
