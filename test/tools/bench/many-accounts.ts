/** Accounts beside the first one; with modest balances their calls need holds, of their own or shared. */
import { randomBytes } from 'node:crypto';
import { boot } from '../../../src/boot.ts';
import { loadConfig } from '../../../src/config.ts';
import { postAll } from '../../../src/store/ledger/ledger.ts';

/** 0.40 USD: thousands of calls, but a call may cost more than a hundredth of it. */
const MODEST_UNITS = 200_000;
const ROWS_AT_ONCE = 50;

/** Gives users like the first one a token like the first one; returns the keys. */
export async function makeAccounts(
  site: { readonly dataDir: string; readonly database?: string },
  count: number,
  balanceUnits = MODEST_UNITS,
): Promise<string[]> {
  const { ctx, close } = await boot(loadConfig({ ...site, logLevel: 'error' }, {}));
  try {
    const { id: root, ...user } = await ctx.db('users').orderBy('id').first();
    const { id: _first, ...token } = await ctx.db('tokens').orderBy('id').first();
    const users = Array.from({ length: count }, (_, at) => ({
      ...user,
      ...{ username: `account-${at}`, username_key: `account-${at}`, aff_code: `a${at}` },
      ...{ role: 1, quota: 0, held: 0 },
    }));
    await ctx.db.batchInsert('users', users, ROWS_AT_ONCE);
    const ids: { id: number }[] = await ctx.db('users').where('id', '>', root).select('id');
    const entries = ids.map(({ id }) => ({
      key: `bench:${id}`,
      cause: 'grant' as const,
      userId: id,
      userUnits: balanceUnits,
      createdAtSec: token.created_time,
    }));
    await ctx.db.transaction((trx) => postAll(trx, entries));
    const keys = ids.map(() => randomBytes(24).toString('hex'));
    const tokens = ids.map(({ id }, at) => {
      const key = keys[at] ?? '';
      const own = { key_hash: ctx.secrets.hash(key), key_cipher: ctx.secrets.encrypt(key) };
      return { ...token, ...own, user_id: id, remain_quota: 0 };
    });
    await ctx.db.batchInsert('tokens', tokens, ROWS_AT_ONCE);
    return keys.map((key) => `sk-${key}`);
  } finally {
    await close();
  }
}
