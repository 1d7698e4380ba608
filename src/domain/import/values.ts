/**
 * Reads values from other programs' databases. Accepts any driver type (text, number, boolean,
 * Date, bytes) and leftovers of old versions (null, padded keys, zero dates, milliseconds instead
 * of seconds).
 */
import { storableText } from '../text/storable-text.ts';

export type SourceRow = Readonly<Record<string, unknown>>;

/** Trimmed, because fixed-width columns are padded with blanks; null reads as ''. */
export function columnText(value: unknown, longest = Number.POSITIVE_INFINITY): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
  const whole = storableText(text).trim();
  return whole.length > longest ? whole.slice(0, longest).toWellFormed() : whole;
}

/** An integer that the ledger can store; `fallback` for anything else. */
export function intIn(value: unknown, fallback = 0): number {
  const text = columnText(value);
  const number = text === '' ? Number.NaN : Math.trunc(Number(text));
  return Number.isSafeInteger(number) ? number : fallback;
}

export function decimalIn(value: unknown): number {
  const number = Number(columnText(value));
  return Number.isFinite(number) ? number : 0;
}

/** Quota units of an amount in dollars. */
export function unitsIn(usd: unknown, unitsPerUsd: number): number {
  return Math.max(0, Math.round(decimalIn(usd) * unitsPerUsd));
}

export function boolIn(value: unknown): boolean {
  return value === true || ['1', 't', 'true'].includes(columnText(value).toLowerCase());
}

/** Later than any time in seconds this century, earlier than any in milliseconds since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Epoch seconds from seconds, milliseconds or a date string; 0 for no date or a zero date. */
export function secondsIn(value: unknown): number {
  if (value instanceof Date) return Math.floor((value.getTime() || 0) / 1000);
  const text = columnText(value);
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const number = intIn(text);
    return number >= FIRST_MILLISECONDS ? Math.floor(number / 1000) : number;
  }
  if (text === '' || text.startsWith('0000-') || text.startsWith('0001-')) return 0;
  return Math.floor(dateMs(text) / 1000);
}

/** Parses forms such as `2024-01-02 03:04:05.123456789+08:00`; UTC if there is no zone. */
function dateMs(text: string): number {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|[+-]\d\d(?::?\d\d)?)?/.exec(
    text,
  );
  if (parts === null) return Date.parse(text) || 0;
  const [, day, time, zone = 'Z'] = parts;
  const offset = /^[+-]\d\d$/.test(zone)
    ? `${zone}:00`
    : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  return Date.parse(`${day}T${time}${offset}`) || 0;
}

/** Whether a soft-deleted row has a real deletion time. */
export function isDeleted(row: SourceRow): boolean {
  return secondsIn(row.deleted_at) > 0;
}

/** The object in a JSON text; empty for an empty text, undefined for any other value. */
export function columnObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const text = columnText(value);
  if (text === '' || text === 'null') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
}
