/**
 * Leases: a name that one holder has for a while. Times are told by the database's clock alone, so
 * that the clocks of the nodes need not agree. `fence` grows with every new holder: whoever comes
 * with an older number has lost the lease, however sure it is of the contrary.
 */
import type { Knex } from 'knex';
import { nowMsSql } from '../connection/clock.ts';
import { insertOnce } from '../sql/inserts.ts';
import { numberOf } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
}

/** Makes the row that `takeLease` needs. */
export async function ensureLease(db: Knex, name: string): Promise<void> {
  const row = { name, holder: '', fence: 0, expires_at_ms: 0 };
  await insertOnce(db, 'leases', row, 'name');
}

/** The lease, unless somebody has it. Until the transaction ends nobody else can take or renew it. */
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
  return { name, holder, fence: numberOf(row?.fence) };
}

/** False when another holder has taken it; one that ran out and nobody took is still one's own. */
export async function renewLease(db: Knex, lease: Lease, ttlMs: number): Promise<boolean> {
  const expires_at_ms = db.raw(`${nowMsSql(db)} + ?`, [ttlMs]);
  return (await db('leases').where(keyOf(lease)).update({ expires_at_ms })) > 0;
}

/** Lets others take it at once; false when one already has. */
export async function releaseLease(db: Knex, lease: Lease): Promise<boolean> {
  return (await db('leases').where(keyOf(lease)).update({ expires_at_ms: 0 })) > 0;
}

/** Whether the lease is still this holder's; if so, nobody takes it before the transaction ends. */
export async function lockLease(trx: Knex.Transaction, lease: Lease): Promise<boolean> {
  const row: Row | undefined = await trx('leases').where(keyOf(lease)).forUpdate().first('name');
  return row !== undefined;
}

/** Whether anybody has it now. */
export async function isLeaseHeld(db: Knex, name: string): Promise<boolean> {
  const row: Row | undefined = await db('leases')
    .where({ name })
    .whereRaw(`expires_at_ms > ${nowMsSql(db)}`)
    .first('name');
  return row !== undefined;
}

function keyOf({ name, holder, fence }: Lease) {
  return { name, holder, fence };
}
