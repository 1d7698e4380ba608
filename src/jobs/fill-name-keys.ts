/** Fills the compared form of user names that a previous version stored without it. */
import type { Context } from '../context.ts';
import { inTransaction } from '../store/connection/transaction.ts';
import { isDuplicate } from '../store/sql/sql-dialect.ts';
import { setNameKeys, usersWithoutKey } from '../store/tables/user-names-table.ts';

const BATCH_SIZE = 200;
const MOST_REPORTED = 20;

/**
 * In small transactions, so that calls do not wait long to post their charges. Accounts whose names
 * differ only in case or form keep their names; the older one has the key, the log names the others.
 */
export async function fillNameKeys(ctx: Context, signal: AbortSignal): Promise<void> {
  const alike: string[] = [];
  let found = 0;
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const users = await usersWithoutKey(ctx.db, after, BATCH_SIZE);
    const last = users.at(-1);
    if (last === undefined) break;
    const left = await setOrRepeat(ctx, users);
    alike.push(...left.map(({ username }) => username));
    found += users.length;
    after = last.id;
  }
  if (alike.length === 0) return;
  const level = found > alike.length ? 'warn' : 'debug';
  const names = alike.slice(0, MOST_REPORTED);
  ctx.log[level](
    { count: alike.length, names },
    'user names differ from others only in case or form',
  );
}

type Users = Awaited<ReturnType<typeof usersWithoutKey>>;

/** A sign-up may take one of the names meanwhile; the next attempt sees it. */
async function setOrRepeat(ctx: Context, users: Users): Promise<Users> {
  for (;;) {
    try {
      return await inTransaction(ctx, (ctx) => setNameKeys(ctx.db, users));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }
}
