/** Rows of `notices`: which notice was sent to which user, and when. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { ROLES } from '../../domain/roles.ts';
import { USER_STATUS } from '../../domain/statuses.ts';
import { insertOnce } from '../sql/inserts.ts';
import { columnNumbers, numberValue, type RowOf, rowReader, textValue } from '../sql/read-rows.ts';

export interface NotificationClaim {
  readonly userId: number;
  /** At most 64 characters. */
  readonly type: string;
  readonly atSec: number;
}

export interface NotificationLimit {
  readonly count: 1 | 2;
  readonly windowSec: number;
  /** A notification that could not be delivered counts too: nothing repeats it. */
  readonly keepsFailed?: true;
}

/**
 * True if the notice may be sent now, and records it as sent. Of any number of concurrent
 * processes, at most `count` per window get true.
 */
export async function claimNotification(
  db: Knex,
  { userId, type, atSec }: NotificationClaim,
  { count, windowSec }: NotificationLimit,
): Promise<boolean> {
  const row = { user_id: userId, type, sent_at: atSec, earlier_at: 0 };
  if (await insertOnce(db, 'notices', row, ['user_id', 'type'])) return true;
  // The last one, or with two per window the one before it, must be outside the window.
  const counts = count === 1 ? 'sent_at' : 'earlier_at';
  const claimed = await db('notices')
    .where({ user_id: userId, type })
    .where(counts, '<=', atSec - windowSec)
    .update({ earlier_at: db.ref('sent_at'), sent_at: atSec });
  return claimed > 0;
}

/** Reverts a claim whose notice was not delivered. */
export async function releaseNotificationClaim(
  db: Knex,
  { userId, type, atSec }: NotificationClaim,
): Promise<void> {
  await db('notices').where({ user_id: userId, type, sent_at: atSec }).update({ sent_at: 0 });
}

/** No account has this id. */
const SITE = 0;

/**
 * True for the first caller with this change of a price; `change` may have any length.
 */
export async function claimPriceAlert(db: Knex, change: string, atSec: number): Promise<boolean> {
  const type = `price_${createHash('sha256').update(change).digest('hex').slice(0, 56)}`;
  const row = { user_id: SITE, type, sent_at: atSec, earlier_at: 0 };
  return insertOnce(db, 'notices', row, ['user_id', 'type']);
}

const DIGEST_READERS = rowReader({
  id: numberValue,
  role: numberValue,
  /** Units. */
  quota: numberValue,
  setting: textValue,
});
export type DigestReader = RowOf<typeof DIGEST_READERS>;

export interface DigestQuery {
  /** Epoch seconds: accounts that got it later are left out. */
  readonly sentBeforeSec: number;
  readonly afterId: number;
  readonly limit: number;
}

/** Open accounts of super admins, and others that chose a digest, by id. */
export function digestReaders(
  reads: Knex,
  type: string,
  { sentBeforeSec, afterId, limit }: DigestQuery,
): Promise<DigestReader[]> {
  const sent = reads('notices').where({ type }).where('sent_at', '>', sentBeforeSec);
  const readers = reads('users')
    .where({ status: USER_STATUS.enabled })
    .whereNull('deleted_at')
    .where('id', '>', afterId)
    .where((either) =>
      either.where({ role: ROLES.super_admin }).orWhere('setting', 'like', '%"weekly_digest":{%'),
    )
    .whereNotIn('id', sent.select('user_id'))
    .orderBy('id')
    .limit(limit);
  return DIGEST_READERS.all(readers);
}

/** Open accounts of super admins. */
export function superAdminIds(db: Knex): Promise<number[]> {
  return columnNumbers(
    db('users')
      .where({ role: ROLES.super_admin, status: USER_STATUS.enabled })
      .whereNull('deleted_at')
      .orderBy('id'),
  );
}
