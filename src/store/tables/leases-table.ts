/**
 * Leases: a name held by one holder for a limited time. Only the database's clock is used, so the
 * nodes' clocks need not agree. `fence` increases with every new holder: a holder with an older
 * number has lost the lease, even if it does not know.
 */
import type { Knex } from 'knex';
import { nowMsSql } from '../connection/clock.ts';
import { insertOnce } from '../sql/inserts.ts';
import { hasRow, numberValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
}

/** Creates the row that `takeLease` needs. */
export async function ensureLease(db: Knex, name: string): Promise<void> {
  const row = { name, holder: '', fence: 0, expires_at_ms: 0 };
  await insertOnce(db, 'leases', row, 'name');
}

/** Takes the lease, unless it is held; until the transaction ends, it cannot be taken again. */
export async function takeLease(
  trx: Knex.Transaction,
  { name, holder, ttlMs }: { name: string; holder: string; ttlMs: number },
): Promise<Lease | undefined> {
  const now = nowMsSql(trx);
  const taken = await trx('leases')
    .where({ name })
    .whereRaw(`expires_at_ms <= ${now}`)
    .update({
      holder,
      fence: trx.raw('fence + 1'),
      expires_at_ms: trx.raw(`${now} + ?`, [ttlMs]),
    });
  if (taken === 0) return undefined;
  const row: Row | undefined = await trx('leases').where({ name }).first('fence');
  return { name, holder, fence: numberValue(row?.fence) };
}

/** False if another holder has taken it; a lease that expired without being taken is still held. */
export async function renewLease(db: Knex, lease: Lease, ttlMs: number): Promise<boolean> {
  const expires_at_ms = db.raw(`${nowMsSql(db)} + ?`, [ttlMs]);
  return (await db('leases').where(keyOf(lease)).update({ expires_at_ms })) > 0;
}

/** Releases the lease for others at once; false if another holder already has it. */
export async function releaseLease(db: Knex, lease: Lease): Promise<boolean> {
  return (await db('leases').where(keyOf(lease)).update({ expires_at_ms: 0 })) > 0;
}

/** Whether this holder has the lease; if so, it cannot be taken before the transaction ends. */
export function lockLease(trx: Knex.Transaction, lease: Lease): Promise<boolean> {
  return hasRow(trx('leases').where(keyOf(lease)).forUpdate());
}

/** Whether the lease is currently held. */
export function isLeaseHeld(db: Knex, name: string): Promise<boolean> {
  return hasRow(
    db('leases')
      .where({ name })
      .whereRaw(`expires_at_ms > ${nowMsSql(db)}`),
  );
}

function keyOf({ name, holder, fence }: Lease) {
  return { name, holder, fence };
}
