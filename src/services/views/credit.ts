/**
 * Who has so much left that a reservation would only cost time. A call may run without a hold while
 * everything this process has in flight for the account, the call included, is at most one percent
 * of what the account has free. The figure comes from the database, at most `FRESH_MS` ago, less
 * what this process charged since: even a hundred processes could not overdraw by it.
 */
import type { Knex } from 'knex';
import type { Logger } from '../../log.ts';

const FRESH_MS = 1_000;
const TRUSTED_SHARE = 0.01;
const MAX_ACCOUNTS = 50_000;

interface Account {
  free: number;
  readAtMs: number;
  inFlight: number;
  isReading: boolean;
}

export interface Spender {
  readonly userId: number;
  /** 0 for a token without a limit of its own. */
  readonly tokenId: number;
}

export interface Credit {
  /** True when the call may go without a hold; `release` must follow. Never waits. */
  trust(spender: Spender, units: number): boolean;
  /** The trusted call is over and has cost `spent` units. */
  release(spender: Spender, units: number, spent: number): void;
}

export function createCredit(reads: Knex, now: () => number, log: Logger): Credit {
  const accounts = new Map<string, Account>();

  const accountOf = (table: 'users' | 'tokens', id: number): Account => {
    const name = `${table}:${id}`;
    const kept = accounts.get(name);
    if (kept !== undefined) return kept;
    if (accounts.size >= MAX_ACCOUNTS) dropIdle(accounts);
    const account = { free: 0, readAtMs: 0, inFlight: 0, isReading: false };
    accounts.set(name, account);
    return account;
  };

  /** In the background: until the figure is fresh, calls are held as usual. */
  const refresh = (table: 'users' | 'tokens', id: number, account: Account): void => {
    if (account.isReading) return;
    account.isReading = true;
    const column = table === 'users' ? 'quota' : 'remain_quota';
    reads(table)
      .where({ id })
      .first([column, 'held'])
      .then((row) => {
        account.free = row === undefined ? 0 : Number(row[column]) - Number(row.held);
        account.readAtMs = now();
      })
      .catch((error: Error) => log.warn({ err: error }, 'a balance could not be read'))
      .finally(() => {
        account.isReading = false;
      });
  };

  const covers = (table: 'users' | 'tokens', id: number, units: number): boolean => {
    const account = accountOf(table, id);
    if (now() - account.readAtMs > FRESH_MS) {
      refresh(table, id, account);
      return false;
    }
    return account.inFlight + units <= account.free * TRUSTED_SHARE;
  };

  const change = ({ userId, tokenId }: Spender, inFlight: number, spent: number): void => {
    const both = [
      accountOf('users', userId),
      ...(tokenId === 0 ? [] : [accountOf('tokens', tokenId)]),
    ];
    for (const account of both) {
      account.inFlight += inFlight;
      account.free -= spent;
    }
  };

  return {
    trust(spender, units) {
      const isTrusted =
        covers('users', spender.userId, units) &&
        (spender.tokenId === 0 || covers('tokens', spender.tokenId, units));
      if (isTrusted) change(spender, units, 0);
      return isTrusted;
    },
    release: (spender, units, spent) => change(spender, -units, spent),
  };
}

function dropIdle(accounts: Map<string, Account>): void {
  for (const [name, account] of accounts) if (account.inFlight === 0) accounts.delete(name);
}
