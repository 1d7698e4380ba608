/** Converts users and API tokens of the one-api family to rows of this gateway; pure. */

import { DEFAULT_GROUP } from '../groups.ts';
import { CAPS } from '../nouns/caps.ts';
import { eachColumn, type StoredFields } from '../nouns/columns.ts';
import { TOKEN } from '../nouns/token.ts';
import { IDENTITY, type IdentityColumn, type USER, type USER_RECORD } from '../nouns/user.ts';
import { TOKEN_STATUS, USER_STATUS } from '../statuses.ts';
import { splitList } from '../text/comma-list.ts';
import type { SourceFamily } from './family.ts';
import type { NoteCode } from './report.ts';
import {
  boolIn,
  columnObject,
  columnText,
  intIn,
  isDeleted,
  type SourceRow,
  secondsIn,
} from './values.ts';

/** Records that a column's value was changed. */
export type AddNote = (code: NoteCode, field: string) => void;

/** A skipped row and the reason. */
export interface SkippedRow {
  readonly skip: NoteCode;
}

/** Columns of `users`, except those that depend on existing rows. */
export interface ImportedUser
  extends StoredFields<typeof USER>,
    Pick<StoredFields<typeof USER_RECORD>, CopiedColumn> {
  readonly password: string;
  readonly identities: Readonly<Record<IdentityColumn, string>>;
  /** In plain text; the caller stores only its hash. */
  readonly accessToken: string;
  /** Quota units: the balance and the amount already spent. */
  readonly quota: number;
  readonly usedQuota: number;
  readonly aff_history: number;
  /** JSON; a webhook secret in it is plain text, which the caller encrypts. */
  readonly setting: string;
  /** Epoch seconds or null. */
  readonly last_check_in_time: number | null;
}

type CopiedColumn =
  | 'role'
  | 'status'
  | 'request_count'
  | 'aff_code'
  | 'aff_count'
  | 'aff_quota'
  | 'created_time'
  | 'last_login_time';

/** one-api marks deleted accounts with this status. */
const ONE_API_DELETED = 3;
const ROLES: ReadonlySet<number> = new Set([1, 10, 100]);

export function importedUser(
  row: SourceRow,
  family: SourceFamily,
  note: AddNote,
): ImportedUser | SkippedRow {
  const status = intIn(row.status, USER_STATUS.enabled);
  if (isDeleted(row) || (family === 'one-api' && status === ONE_API_DELETED))
    return { skip: 'deleted' };
  const role = intIn(row.role, 1);
  if (!ROLES.has(role)) note('role_lowered', 'role');
  // A program without balances or passwords has no such column.
  if (!('quota' in row)) note('balance_none', 'quota');
  if (!('password' in row)) note('password_none', 'password');
  const setting = columnObject(row.setting);
  if (setting === undefined) note('field_dropped', 'setting');
  const checkedIn = secondsIn(row.last_check_in_time);
  return {
    username: cut(row.username, 255, 'username', note),
    password: passwordHere(row, note),
    display_name: cut(row.display_name, 255, 'display_name', note),
    role: ROLES.has(role) ? role : 1,
    status: status === USER_STATUS.enabled ? USER_STATUS.enabled : USER_STATUS.banned,
    email: cut(row.email, 255, 'email', note),
    identities: eachColumn(IDENTITY, (_, column) => columnText(row[column], 255)),
    accessToken: columnText(row.access_token),
    quota: intIn(row.quota),
    usedQuota: Math.max(0, intIn(row.used_quota)),
    request_count: Math.max(0, intIn(row.request_count)),
    ...capsIn(row),
    group: groupHere(row.group, DEFAULT_GROUP, note),
    aff_code: columnText(row.aff_code, 32),
    aff_count: Math.max(0, intIn(row.aff_count)),
    aff_quota: Math.max(0, intIn(row.aff_quota)),
    aff_history: Math.max(0, intIn(row.aff_history)),
    setting: settingHere(setting ?? {}),
    last_check_in_time: checkedIn > 0 ? checkedIn : null,
    created_time: secondsIn(row.created_at ?? row.created_time),
    last_login_time: secondsIn(row.last_login_at ?? row.last_login_time),
  };
}

/** new-api uses a different name for the setting that records IP addresses in the user's log. */
function settingHere(setting: Readonly<Record<string, unknown>>): string {
  const { record_ip_log, ...others } = setting;
  const here = {
    ...(record_ip_log !== undefined && { show_ip_in_logs: boolIn(record_ip_log) }),
    ...others,
  };
  return Object.keys(here).length === 0 ? '' : JSON.stringify(here);
}

/** The family's bcrypt hashes are accepted and replaced at sign-in; other formats are unusable. */
function passwordHere(row: SourceRow, note: AddNote): string {
  const stored = columnText(row.password);
  if (stored === '' || /^\$2[aby]\$\d\d\$.{53}$/.test(stored)) return stored;
  note('password_dropped', 'password');
  return '';
}

function capsIn(row: SourceRow) {
  const cap = (name: keyof typeof CAPS) =>
    Math.min(Math.max(CAPS[name].least, intIn(row[name])), CAPS[name].most);
  return {
    max_concurrency: cap('max_concurrency'),
    tokens_per_minute: cap('tokens_per_minute'),
  };
}

function groupHere(value: unknown, fallback: string, note: AddNote): string {
  const group = columnText(value);
  if (group === '') return fallback;
  if (/^[^,\p{C}]{1,64}$/u.test(group)) return group;
  note('field_dropped', 'group');
  return fallback;
}

function cut(value: unknown, longest: number, field: string, note: AddNote): string {
  const whole = columnText(value);
  if (whole.length > longest) note('cut', field);
  return columnText(whole, longest);
}

/** Columns of `tokens`, except owner and key. */
export interface ImportedToken extends Omit<StoredFields<typeof TOKEN>, 'remain_quota'> {
  /** As clients send it after `sk-`; the caller stores its hash and ciphertext. '' if unknown. */
  readonly key: string;
  /** SHA-256 of the key with `sk-` in hex, if the source stores nothing else of it; '' otherwise. */
  readonly sha256: string;
  readonly sourceUserId: number;
  readonly remainQuota: number;
  readonly usedQuota: number;
  readonly status: number;
  readonly created_time: number;
  readonly accessed_time: number;
}

const NEVER = -1;
const TOKEN_STATUSES: ReadonlySet<number> = new Set(Object.values(TOKEN_STATUS));

export function importedToken(row: SourceRow, note: AddNote): ImportedToken | SkippedRow {
  if (isDeleted(row)) return { skip: 'deleted' };
  const key = columnText(row.key).replace(/^sk-/, '');
  const sha256 = columnText(row.key_sha256);
  // In both systems the part after a hyphen selects a channel, so such a key never worked.
  if ((key === '' || key.includes('-')) && !/^[0-9a-f]{64}$/.test(sha256)) return { skip: 'empty' };
  if (key === '') note('key_hidden', 'key');
  const status = intIn(row.status, TOKEN_STATUS.enabled);
  const models = splitList(columnText(row.model_limits) || columnText(row.models));
  const isLimited =
    'model_limits_enabled' in row ? boolIn(row.model_limits_enabled) : models.length > 0;
  const limit = (name: 'rate_limit_period' | 'rate_limit_count' | 'rate_limit_success') =>
    Math.max(TOKEN[name].least, intIn(row[name], TOKEN[name].default));
  return {
    key,
    sha256,
    sourceUserId: intIn(row.user_id),
    remainQuota: intIn(row.remain_quota),
    usedQuota: Math.max(0, intIn(row.used_quota)),
    name: cut(row.name, 64, 'name', note),
    status: TOKEN_STATUSES.has(status) ? status : TOKEN_STATUS.disabled,
    created_time: secondsIn(row.created_time),
    accessed_time: secondsIn(row.accessed_time),
    expired_time: intIn(row.expired_time, NEVER) < 0 ? NEVER : secondsIn(row.expired_time),
    unlimited_quota: boolIn(row.unlimited_quota),
    rate_limit_enabled: boolIn(row.rate_limit_enabled),
    rate_limit_period: limit('rate_limit_period'),
    rate_limit_count: limit('rate_limit_count'),
    rate_limit_success: limit('rate_limit_success'),
    ...capsIn(row),
    model_limits_enabled: isLimited,
    model_limits: models.join(','),
    // one-api names the column `subnet` and separates by commas; the others use line breaks.
    allow_ips: (columnText(row.allow_ips) || columnText(row.subnet))
      .split(/[\s,]+/)
      .filter((address) => address !== '')
      .join('\n'),
    group: groupHere(row.group, '', note),
  };
}
