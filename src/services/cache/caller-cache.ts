/**
 * Cached tokens and users for the relay. Tokens are looked up by the keyed hash of the API key. The
 * change feed evicts entries, so a ban or an edit takes effect at once in the process that wrote it
 * and within one poll elsewhere. Balances are not decided here: `remainView` and `freeView` only say
 * when the database must be asked before a call is read; the database decides.
 */

import type { Knex } from 'knex';
import { type AddressRange, addressRanges } from '../../domain/addresses/address-ranges.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { boundedMap } from '../../domain/bounded-map.ts';
import type { AppError } from '../../domain/errors/errors.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { keyHashesOf } from '../../secrets.ts';
import { booleanValue } from '../../store/sql/sql-dialect.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';

export interface TokenEntry {
  readonly id: number;
  readonly userId: number;
  readonly name: string;
  readonly status: number;
  readonly expiredTimeSec: number;
  readonly unlimited: boolean;
  readonly group: string;
  readonly models: ReadonlySet<string> | undefined;
  readonly allowed: readonly AddressRange[];
  readonly rate: TokenRate | undefined;
  readonly caps: CallerCaps;
  /** Imported with a hash of its whole key, in which a hyphen separates no channel. */
  readonly isWholeKey: boolean;
  /** Remaining quota known to this process: as loaded, reduced by its own charges. */
  remainView: number;
  /** Epoch seconds of the last use known to this process. */
  usedViewSec: number;
}

export interface TokenRate {
  readonly periodSec: number;
  readonly count: number;
  readonly success: number;
}

/** 0 means no limit. */
export interface CallerCaps {
  /** Concurrent calls. */
  readonly calls: number;
  /** Tokens per minute. */
  readonly tokens: number;
}

/** The last refusal for lack of quota, which holds for a moment without asking again. */
export interface QuotaRefusal {
  readonly untilMs: number;
  readonly group: string;
  readonly error: AppError;
}

export interface UserEntry {
  readonly id: number;
  readonly username: string;
  readonly status: number;
  readonly role: number;
  readonly group: string;
  readonly isDeleted: boolean;
  readonly acceptsUnsetPrice: boolean;
  readonly showsAddressInLogs: boolean;
  /** The user's own threshold for low-balance notices; undefined to use the site's. */
  readonly warnBelow: number | undefined;
  readonly caps: CallerCaps;
  /** Unreserved quota known to this process: as loaded, reduced by its own charges. */
  freeView: number;
  short: QuotaRefusal | undefined;
}

export interface Callers {
  /**
   * The token of an API key, whatever its status; undefined when there is none. `whole` is the text
   * that the client sent, by which imported keys are found.
   */
  tokenByKey(key: string, whole: string): Awaitable<TokenEntry | undefined>;
  user(id: number): Awaitable<UserEntry | undefined>;
  forgetToken(id: number): void;
}

const MAX_ENTRIES = 50_000;

const TOKEN_COLUMNS = [
  'id',
  'key_hash',
  'user_id',
  'name',
  'status',
  'expired_time',
  'unlimited_quota',
  'remain_quota',
  'accessed_time',
  'group',
  'model_limits_enabled',
  'model_limits',
  'allow_ips',
  'rate_limit_enabled',
  'rate_limit_period',
  'rate_limit_count',
  'rate_limit_success',
  'max_concurrency',
  'tokens_per_minute',
];
const USER_COLUMNS = [
  'id',
  'username',
  'status',
  'role',
  'group',
  'deleted_at',
  'quota',
  'held',
  'setting',
  'max_concurrency',
  'tokens_per_minute',
];

export function createCallers(
  reads: Knex,
  hashOf: (key: string) => string,
  changes: ChangeFeed,
): Callers {
  const tokens = boundedMap<string, TokenEntry>(MAX_ENTRIES);
  const keys = boundedMap<number, string>(MAX_ENTRIES);
  const users = boundedMap<number, UserEntry>(MAX_ENTRIES);
  // Many calls of one caller may arrive before its first read has ended; they share it.
  const tokenReads = new Map<string, Promise<TokenEntry | undefined>>();
  const userReads = new Map<number, Promise<UserEntry | undefined>>();
  // Counts evictions: a row read before a change must not be cached after it.
  let epoch = 0;

  const forgetToken = (id: number): void => {
    // A read that began before the change must not answer calls that come after it.
    tokenReads.clear();
    const key = keys.get(id);
    if (key !== undefined) tokens.delete(key);
  };
  changes.on('tokens', (ids) => {
    epoch += 1;
    tokenReads.clear();
    if (ids === 'all') tokens.clear();
    else for (const id of ids) forgetToken(id);
  });
  changes.on('users', (ids) => {
    epoch += 1;
    userReads.clear();
    if (ids === 'all') users.clear();
    else for (const id of ids) users.delete(id);
  });

  return {
    forgetToken,
    // A key contains no hyphen and an imported one does, so both have a place in one map.
    tokenByKey: (key, whole) =>
      tokens.get(key) ??
      tokens.get(whole) ??
      sharedRead(tokenReads, whole, () => readToken(key, whole)),
    user: (id) => users.get(id) ?? sharedRead(userReads, id, readUser),
  };

  async function readToken(key: string, whole: string): Promise<TokenEntry | undefined> {
    const before = epoch;
    const hashes = keyHashesOf(hashOf, whole);
    const rows: Row[] = await reads('tokens')
      .whereIn('key_hash', hashes)
      .whereNull('deleted_at')
      .select(TOKEN_COLUMNS);
    const own = rows.find((row) => row.key_hash === hashes[0]);
    const row = own ?? rows[0];
    if (row === undefined) return undefined;
    const entry = tokenEntry(row, own === undefined);
    if (before === epoch) {
      const name = entry.isWholeKey ? whole : key;
      tokens.set(name, entry);
      keys.set(entry.id, name);
    }
    return entry;
  }

  async function readUser(id: number): Promise<UserEntry | undefined> {
    const before = epoch;
    const row = await reads('users').where({ id }).first(USER_COLUMNS);
    if (row === undefined) return undefined;
    const entry = userEntry(row);
    if (before === epoch) users.set(id, entry);
    return entry;
  }
}

function sharedRead<Key, Value>(
  running: Map<Key, Promise<Value>>,
  key: Key,
  read: (key: Key) => Promise<Value>,
): Promise<Value> {
  const shared = running.get(key);
  if (shared !== undefined) return shared;
  const reading = read(key).finally(() => {
    if (running.get(key) === reading) running.delete(key);
  });
  running.set(key, reading);
  return reading;
}

type Row = Readonly<Record<string, unknown>>;

function tokenEntry(row: Row, isWholeKey: boolean): TokenEntry {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    name: String(row.name),
    status: Number(row.status),
    expiredTimeSec: Number(row.expired_time),
    unlimited: booleanValue(row.unlimited_quota),
    remainView: Number(row.remain_quota),
    usedViewSec: Number(row.accessed_time),
    group: String(row.group ?? ''),
    models: booleanValue(row.model_limits_enabled)
      ? new Set(splitList(String(row.model_limits ?? '')))
      : undefined,
    allowed: addressRanges(String(row.allow_ips ?? '')),
    rate: booleanValue(row.rate_limit_enabled)
      ? {
          periodSec: Number(row.rate_limit_period),
          count: Number(row.rate_limit_count),
          success: Number(row.rate_limit_success),
        }
      : undefined,
    caps: capsIn(row),
    isWholeKey,
  };
}

function capsIn({ max_concurrency, tokens_per_minute }: Row): CallerCaps {
  return { calls: Number(max_concurrency), tokens: Number(tokens_per_minute) };
}

function userEntry(row: Row): UserEntry {
  const setting = parsedObject(String(row.setting ?? ''));
  return {
    id: Number(row.id),
    username: String(row.username),
    status: Number(row.status),
    role: Number(row.role),
    group: String(row.group),
    isDeleted: row.deleted_at !== null && row.deleted_at !== undefined,
    acceptsUnsetPrice: setting.accept_unset_model_ratio_model === true,
    showsAddressInLogs: setting.show_ip_in_logs === true,
    warnBelow: ownWarnBelow(setting),
    caps: capsIn(row),
    freeView: Number(row.quota) - Number(row.held),
    short: undefined,
  };
}

/** The balance below which an account asked to be warned; undefined: that of the site applies. */
export function ownWarnBelow({
  quota_warning_threshold: value,
}: Readonly<Record<string, unknown>>): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
