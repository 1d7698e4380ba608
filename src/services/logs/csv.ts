/** CSV as of RFC 4180, safe to open in a spreadsheet. Loaded only when CSV is requested. */
import { stringify } from 'csv-stringify/sync';

/** A spreadsheet treats text with this prefix as a formula. Negative numbers are exempt. */
const FORMULA = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

export function csvText(records: readonly (readonly unknown[])[]): string {
  return stringify(records.map((record) => record.map(cellOf)));
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return FORMULA.test(value) ? `'${value}` : value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
