/**
 * Tokens and users as the relay reads them: from memory, else found by the keyed hash of the API key.
 * An entry leaves as soon as the change feed names it, so a ban or an edit acts within one poll
 * everywhere and at once in the process that wrote it. Balances are not decided here: `remainView`
 * only lets an exhausted token be refused early, the database has the last word.
 */
import ipaddr from 'ipaddr.js';
import type { Knex } from 'knex';
import { boundedMap } from '../../domain/bounded-map.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { asBoolean } from '../../store/sql/sql-dialect.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';
import { parsedObject } from '../parse-json-object.ts';

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
  /** Remaining quota as this process knows it: loaded from the database, lowered by its own charges. */
  remainView: number;
  /** Epoch seconds of the last use this process knows of. */
  usedViewSec: number;
}

export interface TokenRate {
  readonly periodSec: number;
  readonly count: number;
  readonly success: number;
}

/** 0 is no limit. */
export interface CallerCaps {
  /** Calls at the same time. */
  readonly calls: number;
  /** A minute. */
  readonly tokens: number;
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
  /** The user's own threshold of the low-balance notice; undefined where the site's holds. */
  readonly warnBelow: number | undefined;
  readonly caps: CallerCaps;
}

export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

export interface Callers {
  /** The token behind an API key, whatever its status; undefined when there is none. */
  tokenByKey(key: string): Promise<TokenEntry | undefined>;
  user(id: number): Promise<UserEntry | undefined>;
  forgetToken(id: number): void;
}

const MAX_ENTRIES = 50_000;

const TOKEN_COLUMNS = [
  'id',
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
  // Counts what was forgotten: a row read before a change must not be kept after it.
  let epoch = 0;

  const forgetToken = (id: number): void => {
    const key = keys.get(id);
    if (key !== undefined) tokens.delete(key);
  };
  changes.on('tokens', (ids) => {
    epoch += 1;
    if (ids === 'all') tokens.clear();
    else for (const id of ids) forgetToken(id);
  });
  changes.on('users', (ids) => {
    epoch += 1;
    if (ids === 'all') users.clear();
    else for (const id of ids) users.delete(id);
  });

  return {
    forgetToken,
    async tokenByKey(key) {
      const kept = tokens.get(key);
      if (kept !== undefined) return kept;
      const before = epoch;
      const row = await reads('tokens')
        .where({ key_hash: hashOf(key) })
        .whereNull('deleted_at')
        .first(TOKEN_COLUMNS);
      if (row === undefined) return undefined;
      const entry = tokenEntry(row);
      if (before === epoch) {
        tokens.set(key, entry);
        keys.set(entry.id, key);
      }
      return entry;
    },
    async user(id) {
      const kept = users.get(id);
      if (kept !== undefined) return kept;
      const before = epoch;
      const row = await reads('users').where({ id }).first(USER_COLUMNS);
      if (row === undefined) return undefined;
      const entry = userEntry(row);
      if (before === epoch) users.set(id, entry);
      return entry;
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

function tokenEntry(row: Row): TokenEntry {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    name: String(row.name),
    status: Number(row.status),
    expiredTimeSec: Number(row.expired_time),
    unlimited: asBoolean(row.unlimited_quota),
    remainView: Number(row.remain_quota),
    usedViewSec: Number(row.accessed_time),
    group: String(row.group ?? ''),
    models: asBoolean(row.model_limits_enabled)
      ? new Set(splitList(String(row.model_limits ?? '')))
      : undefined,
    allowed: addressRanges(String(row.allow_ips ?? '')),
    rate: asBoolean(row.rate_limit_enabled)
      ? {
          periodSec: Number(row.rate_limit_period),
          count: Number(row.rate_limit_count),
          success: Number(row.rate_limit_success),
        }
      : undefined,
    caps: capsIn(row),
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
    warnBelow: positive(setting.quota_warning_threshold),
    caps: capsIn(row),
  };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

/** One address or CIDR range per line; spaces and commas are ignored, unreadable lines match nothing. */
export function addressRanges(text: string): AddressRange[] {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/[\s,]/g, ''))
    .filter((line) => line !== '')
    .map(addressRange);
}

function addressRange(line: string): AddressRange {
  if (ipaddr.isValidCIDR(line)) return ipaddr.parseCIDR(line);
  if (!ipaddr.isValid(line)) return NO_ADDRESS;
  const address = ipaddr.process(line);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** A range nobody can be in (RFC 5737 documentation block): a list of typing errors must not admit all. */
const NO_ADDRESS: AddressRange = [ipaddr.IPv4.parse('192.0.2.255'), 32];

export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([base, bits]) => parsed.kind() === base.kind() && parsed.match(base, bits));
}
