/**
 * The change feed that caches follow. Each scope has a counter; a writer increments it and records
 * the id it wrote, in its own transaction. The counter's row lock makes the writers of a scope wait
 * for each other's commit, so revisions become visible in order and without gaps: a reader that has
 * seen revision n misses nothing at or below n.
 */
import type { Knex } from 'knex';
import { insertRows } from '../sql/inserts.ts';
import { engineOf, rowsOf } from '../sql/sql-dialect.ts';

/** A cache that is more changes behind than this should reload entirely. */
const MAX_IDS = 1_000;

export interface ChangedIds {
  /** The reader's revision after processing `ids`. */
  readonly revision: number;
  /** Each id once; 'all' if the feed no longer reaches back far enough, or too many ids changed. */
  readonly ids: number[] | 'all';
}

/**
 * Announces to caches that `entityId` of `scope` was written. Call it late in the transaction: from
 * here to the commit, other writers of the scope wait.
 */
export function announceChange(
  trx: Knex.Transaction,
  scope: string,
  entityId: number,
): Promise<void> {
  return announceChanges(trx, scope, [entityId]);
}

/** Same for many ids written together. */
export async function announceChanges(
  trx: Knex.Transaction,
  scope: string,
  entityIds: readonly number[],
): Promise<void> {
  if (entityIds.length === 0) return;
  const last = await incrementRevision(trx, scope, entityIds.length);
  const created_at = Math.floor(Date.now() / 1000);
  const rows = entityIds.map((entity_id, index) => {
    const revision = last - entityIds.length + 1 + index;
    return { scope, revision, entity_id, created_at };
  });
  await insertRows(trx, 'changes', rows);
}

/** Increments the counter and returns its new value. */
async function incrementRevision(
  trx: Knex.Transaction,
  scope: string,
  by: number,
): Promise<number> {
  const insert = 'insert into revisions (scope, revision) values (?, ?)';
  const bump = 'revision = revisions.revision + ?';
  const bindings = [scope, by, by];
  if (engineOf(trx) === 'mysql') {
    await trx.raw(`${insert} on duplicate key update ${bump}`, bindings);
    return revisionOf(trx, scope);
  }
  const answer = await trx.raw(
    `${insert} on conflict (scope) do update set ${bump} returning revision`,
    bindings,
  );
  return Number(rowsOf(answer)[0]?.revision);
}

/** The latest revision of every scope that has been written. */
export async function readRevisions(db: Knex): Promise<Record<string, number>> {
  const rows = await db('revisions').select('scope', 'revision');
  return Object.fromEntries(rows.map((row) => [String(row.scope), Number(row.revision)]));
}

/**
 * The ids written in `scope` after `revision`. A revision from the future (the database was
 * restored to an older state) also returns 'all'.
 */
export async function changesSince(db: Knex, scope: string, revision: number): Promise<ChangedIds> {
  const latest = await revisionOf(db, scope);
  const missed = latest - revision;
  if (missed === 0) return { revision, ids: [] };
  if (missed < 0 || missed > MAX_IDS) return { revision: latest, ids: 'all' };
  const rows = await db('changes')
    .where({ scope })
    .whereBetween('revision', [revision + 1, latest])
    .select('entity_id');
  if (rows.length < missed) return { revision: latest, ids: 'all' };
  return { revision: latest, ids: [...new Set(rows.map((row) => Number(row.entity_id)))] };
}

async function revisionOf(db: Knex, scope: string): Promise<number> {
  const row = await db('revisions').where({ scope }).first('revision');
  return Number(row?.revision ?? 0);
}

/** Deletes changes older than `olderThanSec` seconds; the counters remain. Returns their number. */
export async function pruneChanges(db: Knex, olderThanSec: number): Promise<number> {
  const before = Math.floor(Date.now() / 1000) - olderThanSec;
  return db('changes').where('created_at', '<', before).delete();
}
