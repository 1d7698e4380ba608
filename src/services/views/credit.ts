/**
 * Who has so much left that a reservation would only cost time. A call may run without a hold while
 * everything this process has in flight for the account, the call included, and what it charged since
 * the account was read, is at most one percent of what was free then. The figure comes from the
 * database and is at most `FRESH_MS` old. So each process can overdraw an account by at most that one
 * percent, whatever others spend meanwhile.
 */
import type { Knex } from 'knex';
import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../log.ts';

const FRESH_MS = 1_000;
const TRUSTED_SHARE = 0.01;
const MAX_ACCOUNTS = 50_000;

interface Account {
  /** As read. */
  free: number;
  readAtMs: number;
  inFlight: number;
  /** Charged by this process and perhaps not in `free` yet. */
  spent: number;
  isReading: boolean;
  /** Asked by `hasSome` at this moment: many uploads at once are one question. */
  asked: Promise<number> | undefined;
}

export interface Spender {
  readonly userId: number;
  /** 0 for a token without a limit of its own. */
  readonly tokenId: number;
}

export interface Credit {
  /** True when the call may go without a hold; `release` must follow. Never waits. */
  trust(spender: Spender, units: number): boolean;
  /** Whether the account has anything left to spend: from the database where the figure is old, or 0. */
  hasSome(userId: number): Promise<boolean>;
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
    const account = {
      free: 0,
      readAtMs: 0,
      inFlight: 0,
      spent: 0,
      isReading: false,
      asked: undefined,
    };
    accounts.set(name, account);
    return account;
  };

  /** In the background: until the figure is fresh, calls are held as usual. */
  const refresh = (table: 'users' | 'tokens', id: number, account: Account): void => {
    if (account.isReading) return;
    account.isReading = true;
    const spentBefore = account.spent;
    const readAtMs = now();
    readFree(reads, table, id)
      .then((free) => {
        account.free = free;
        account.readAtMs = readAtMs;
        account.spent -= spentBefore;
      })
      .catch((error: Error) => {
        // That the database is away was said when it was lost; here it would be said with every call.
        if (!(error instanceof AppError)) log.warn({ err: error }, 'a balance could not be read');
      })
      .finally(() => {
        account.isReading = false;
      });
  };

  const covers = (table: 'users' | 'tokens', id: number, units: number): boolean => {
    const account = accountOf(table, id);
    const isFresh = now() - account.readAtMs <= FRESH_MS;
    const left = account.free * TRUSTED_SHARE - account.inFlight - units;
    // Used up before its time: a new reading may find as much again.
    if (!isFresh || (left >= 0 && left < account.spent)) refresh(table, id, account);
    return isFresh && left >= account.spent;
  };

  const change = ({ userId, tokenId }: Spender, inFlight: number, spent: number): void => {
    const both = [
      accountOf('users', userId),
      ...(tokenId === 0 ? [] : [accountOf('tokens', tokenId)]),
    ];
    for (const account of both) {
      account.inFlight += inFlight;
      account.spent += spent;
    }
  };

  return {
    async hasSome(userId) {
      const account = accountOf('users', userId);
      if (account.free > 0 && now() - account.readAtMs <= FRESH_MS) return true;
      account.asked ??= readFree(reads, 'users', userId).finally(() => {
        account.asked = undefined;
      });
      return (await account.asked) > 0;
    },
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

/** An account that is gone has nothing. */
async function readFree(reads: Knex, table: 'users' | 'tokens', id: number): Promise<number> {
  const column = table === 'users' ? 'quota' : 'remain_quota';
  const row = await reads(table).where({ id }).first([column, 'held']);
  return row === undefined ? 0 : Number(row[column]) - Number(row.held);
}

function dropIdle(accounts: Map<string, Account>): void {
  for (const [name, account] of accounts) if (account.inFlight === 0) accounts.delete(name);
}
