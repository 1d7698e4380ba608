/** Users' rewards besides their balance: daily check-ins and rewards for invitations. */
import type { Knex } from 'knex';
import { hasRow, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Records the user's check-in of `day` (`2026-11-21`); false if it or a later day is recorded. */
export async function recordCheckIn(
  trx: Knex.Transaction,
  userId: number,
  at: { readonly day: string; readonly sec: number },
): Promise<boolean> {
  const marked = await trx('users')
    .where({ id: userId })
    .whereNull('deleted_at')
    .where((either) =>
      either.whereNull('last_check_in_day').orWhere('last_check_in_day', '<', at.day),
    )
    .update({ last_check_in_day: at.day, last_check_in_time: at.sec });
  return marked === 1;
}

/** The day of the user's last check-in, or '' if none. */
export async function lastCheckInDay(db: Knex, userId: number): Promise<string> {
  const row: Row | undefined = await db('users').where({ id: userId }).first('last_check_in_day');
  return String(row?.last_check_in_day ?? '');
}

const INVITERS = rowReader({ id: numberValue, username: textValue });

/** The open account that an invite code belongs to. */
export async function inviterOf(
  db: Knex,
  affCode: string,
): Promise<RowOf<typeof INVITERS> | undefined> {
  if (affCode === '') return undefined;
  return INVITERS.first(db('users').where({ aff_code: affCode }).whereNull('deleted_at'));
}

/**
 * Counts one more invited account and adds the inviter's reward. False if the rewards would exceed
 * the largest number: the account is counted, but no reward is added.
 */
export async function addInvite(
  trx: Knex.Transaction,
  inviterId: number,
  units: number,
): Promise<boolean> {
  const rewarded = await trx('users')
    .where({ id: inviterId })
    .where('aff_history', '<=', Number.MAX_SAFE_INTEGER - units)
    .increment({ aff_count: 1, aff_quota: units, aff_history: units });
  if (rewarded === 1) return true;
  await trx('users').where({ id: inviterId }).increment('aff_count', 1);
  return false;
}

/** Subtracts from the transferable reward; false if it is insufficient. */
export async function subtractAffQuota(
  trx: Knex.Transaction,
  userId: number,
  units: number,
): Promise<boolean> {
  const taken = await trx('users')
    .where({ id: userId })
    .where('aff_quota', '>=', units)
    .decrement('aff_quota', units);
  return taken === 1;
}

export function isAffCodeTaken(db: Knex, affCode: string): Promise<boolean> {
  return hasRow(db('users').where({ aff_code: affCode }));
}
