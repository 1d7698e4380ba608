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
import { CAPS } from '../../domain/nouns/caps.ts';
import type { StoredFields } from '../../domain/nouns/columns.ts';
import { TOKEN } from '../../domain/nouns/token.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { keyHashesOf } from '../../secrets.ts';
import {
  columnReaders,
  nullableNumberValue,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../../store/sql/read-rows.ts';
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
}

const MAX_ENTRIES = 50_000;

const TOKENS = rowReader({
  id: numberValue,
  key_hash: textValue,
  user_id: numberValue,
  ...columnReaders(TOKEN),
  status: numberValue,
  accessed_time: numberValue,
});
const USERS = rowReader({
  id: numberValue,
  username: textValue,
  status: numberValue,
  role: numberValue,
  group: textValue,
  deleted_at: nullableNumberValue,
  quota: numberValue,
  held: numberValue,
  setting: textValue,
  ...columnReaders(CAPS),
});

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
    const rows = await TOKENS.all(
      reads('tokens').whereIn('key_hash', hashes).whereNull('deleted_at'),
    );
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
    const row = await USERS.first(reads('users').where({ id }));
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

function tokenEntry(row: RowOf<typeof TOKENS>, isWholeKey: boolean): TokenEntry {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    status: row.status,
    expiredTimeSec: row.expired_time,
    unlimited: row.unlimited_quota,
    remainView: row.remain_quota,
    usedViewSec: row.accessed_time,
    group: row.group,
    models: row.model_limits_enabled ? new Set(splitList(row.model_limits)) : undefined,
    allowed: addressRanges(row.allow_ips),
    rate: row.rate_limit_enabled
      ? {
          periodSec: row.rate_limit_period,
          count: row.rate_limit_count,
          success: row.rate_limit_success,
        }
      : undefined,
    caps: capsIn(row),
    isWholeKey,
  };
}

function capsIn(row: StoredFields<typeof CAPS>): CallerCaps {
  return { calls: row.max_concurrency, tokens: row.tokens_per_minute };
}

function userEntry(row: RowOf<typeof USERS>): UserEntry {
  const setting = parsedObject(row.setting);
  return {
    id: row.id,
    username: row.username,
    status: row.status,
    role: row.role,
    group: row.group,
    isDeleted: row.deleted_at !== null,
    acceptsUnsetPrice: setting.accept_unset_model_ratio_model === true,
    showsAddressInLogs: setting.show_ip_in_logs === true,
    warnBelow: ownWarnBelow(setting),
    caps: capsIn(row),
    freeView: row.quota - row.held,
    short: undefined,
  };
}

/** The balance below which an account asked to be warned; undefined: that of the site applies. */
export function ownWarnBelow({
  quota_warning_threshold: value,
}: Readonly<Record<string, unknown>>): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
