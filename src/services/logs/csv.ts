/** CSV as of RFC 4180, safe to open in a spreadsheet. Loaded only when CSV is requested. */
import { stringify } from 'csv-stringify/sync';

/** Amounts are exact decimals, so they are texts. */
const DECIMAL = /^-?\d+(\.\d+)?$/;
/** A spreadsheet treats text with this prefix as a formula. Negative numbers are exempt. */
const FORMULA = /^[\s;；，|]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Spreadsheets of some countries separate cells here, even within quotes. */
const INNER_FORMULA = /([;；，|\t]\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

export function csvText(records: readonly (readonly unknown[])[]): string {
  return stringify(records.map((record) => record.map(cellOf)));
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (DECIMAL.test(text)) return text;
  const guarded = text.replaceAll(INNER_FORMULA, "$1'");
  return FORMULA.test(text) ? `'${guarded}` : guarded;
}
