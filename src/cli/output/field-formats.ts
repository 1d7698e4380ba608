/**
 * Presentation of reply fields: amounts, times and enumerated numbers. A field name has the same
 * meaning in every reply, so one table serves all.
 *
 * In documents (json, yaml, csv, ids) amounts keep their raw quota units and get an additional
 * `<name>_usd`; times are ISO 8601 in UTC with `<name>_epoch` in seconds; enumerated numbers get
 * `<name>_word`.
 */
import { BUDGET_STATUS } from '../../domain/budgets/budget.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { logTypeWord } from '../../domain/logs/log-types.ts';
import { usdOf } from '../../domain/pricing/quota-text.ts';
import { roleWord } from '../../domain/roles.ts';
import {
  CHANNEL_STATUS,
  REDEMPTION_STATUS,
  statusWord,
  TOKEN_STATUS,
  USER_STATUS,
} from '../../domain/statuses.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { amountText, localTime, oneLine } from '../../session/text.ts';

export type Words = Readonly<Record<string, (value: number) => string>>;

/** Fields in quota units. */
const AMOUNTS = new Set([
  'quota',
  'used_quota',
  'remain_quota',
  'held',
  'aff_quota',
  'aff_history_quota',
  'user_units',
  'token_units',
  'channel_units',
  'units',
  'opening',
  'closing',
  'charges',
  'refunds',
  'credits',
  'debits',
  'quota_before',
  'cost',
  'costed_quota',
  'margin',
]);

/** Fields of budgets: in quota units if the row's `measure` is units. */
const MEASURED = new Set([
  'limit_amount',
  'raised_amount',
  'spent_amount',
  'held_amount',
  'left_amount',
]);

/** Fields that say how many. */
const COUNTS = new Set([
  'count',
  'calls',
  'rows',
  'total',
  'tokens',
  'prompt_tokens',
  'completion_tokens',
  'cache_tokens',
  'token_input',
  'token_output',
  'token_total',
  'tokens_per_minute',
  'max_input_tokens',
  'rate_limit_count',
  'request_count',
  'used_count',
  'read_count',
  'unread_count',
  'aff_count',
  'total_recipients',
]);

/** Fields in epoch seconds (0 and -1 mean never), or the same time as ISO 8601 text. */
const TIMES = new Set([
  'created_at',
  'expires_at',
  'disabled_at',
  'resting_until',
  'created_time',
  'last_login_time',
  'accessed_time',
  'expired_time',
  'test_time',
  'failing_since',
  'balance_updated_time',
  'redeemed_time',
  'valid_from',
  'valid_until',
  'start_time',
  'started_at',
  'submit_time',
  'finish_time',
  'updated_at',
  'read_at',
  'last_run',
  'next_run',
  'starts_at',
  'resets_at',
  'raised_until',
]);

/** Words of enumerated numbers, per noun: a user's `status` differs from a channel's. */
export const USER_WORDS: Words = {
  role: roleWord,
  status: (value) => statusWord(USER_STATUS, value),
};
export const TOKEN_WORDS: Words = { status: (value) => statusWord(TOKEN_STATUS, value) };
export const BUDGET_WORDS: Words = { status: (value) => statusWord(BUDGET_STATUS, value) };
export const REDEMPTION_WORDS: Words = { status: (value) => statusWord(REDEMPTION_STATUS, value) };
export const CHANNEL_WORDS: Words = {
  status: (value) => statusWord(CHANNEL_STATUS, value),
  type: (value) => channelTypeOf(value)?.slug ?? String(value),
};
export const LOG_WORDS: Words = { type: logTypeWord };

export interface FormatContext {
  readonly quotaPerUnit: number;
  readonly words: Words;
}

/** The document form of a reply: the same shape, with the additional fields. */
export function documentOf(value: unknown, reading: FormatContext): unknown {
  if (Array.isArray(value)) return value.map((item) => documentOf(item, reading));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => fieldsOf(name, field, value, reading)),
  );
}

function fieldsOf(
  name: string,
  field: unknown,
  row: object,
  reading: FormatContext,
): [string, unknown][] {
  const both = (shown: unknown, ending: string, further: unknown): [string, unknown][] => [
    [name, shown],
    [`${name}_${ending}`, further],
  ];
  const isTime = TIMES.has(name);
  if (isTime && isMoment(field)) return both(field, 'epoch', Math.floor(Date.parse(field) / 1000));
  if (typeof field !== 'number') return [[name, documentOf(field, reading)]];
  if (isAmount(name, row)) return both(field, 'usd', usdOf(field, reading.quotaPerUnit));
  if (isTime) return both(field > 0 ? new Date(field * 1000).toISOString() : null, 'epoch', field);
  const word = reading.words[name];
  return word === undefined ? [[name, field]] : both(field, 'word', word(field));
}

/** The table form of a value: dollars, local time, words. One line, no control characters. */
export function cellOf(name: string, value: unknown, row: object, reading: FormatContext): string {
  if (typeof value === 'number') return numberCell(name, value, row, reading);
  if (value === null || value === undefined) return '';
  if (TIMES.has(name) && isMoment(value)) return localTime(Math.floor(Date.parse(value) / 1000));
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function isMoment(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
}

function isAmount(name: string, row: object): boolean {
  return AMOUNTS.has(name) || (MEASURED.has(name) && 'measure' in row && row.measure === 'units');
}

function numberCell(name: string, value: number, row: object, reading: FormatContext): string {
  if (isAmount(name, row)) return amountText(value, reading.quotaPerUnit);
  if (TIMES.has(name)) return value > 0 ? localTime(value) : '-';
  if (COUNTS.has(name) || MEASURED.has(name)) return numberText(value);
  return reading.words[name]?.(value) ?? String(value);
}

/** Quantities are right-aligned; numbers that are identifiers or codes are not. */
export function isNumeric(name: string, value: unknown, reading: FormatContext): boolean {
  return typeof value === 'number' && !TIMES.has(name) && reading.words[name] === undefined;
}
