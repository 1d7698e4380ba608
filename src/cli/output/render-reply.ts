/**
 * Renders results in seven formats. Terminals get tables by default; programs get a stable
 * document, or tab-separated fields without a header if no format is selected.
 */
import type { AppError } from '../../domain/errors/errors.ts';
import { oneLine } from '../../session/text.ts';
import { cellOf, documentOf, type FormatContext, isNumeric, type Words } from './field-formats.ts';
import type { Cell } from './text-table.ts';

export const FORMATS = ['table', 'json', 'jsonl', 'yaml', 'csv', 'ids', 'wide'] as const;
export type Format = (typeof FORMATS)[number];

/** How a noun is displayed; names are those of the reply's fields. */
export interface View {
  readonly columns: readonly string[];
  /** Additional columns of `wide` and `csv`. */
  readonly wide?: readonly string[];
  readonly words?: Words;
  /** Additional names for `--fields`, and the fields they refer to. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Shows only `columns` of a single object: a summary after a write. */
  readonly brief?: true;
  /** The field that `ids` prints; default `id`. */
  readonly id?: string;
}

export interface RenderOptions {
  readonly format: Format;
  /** `--fields`: these fields, in this order. */
  readonly fields?: readonly string[];
  readonly quotaPerUnit: number;
  /** Aligned tables with a header; else tab-separated lines, as pipes get by default. */
  readonly isAligned: boolean;
  /** A header above tab-separated lines too, for one of several tables. */
  readonly hasHeader?: boolean;
  readonly width: number;
  readonly dim: (text: string) => string;
  /** Creates the error for a name in `--fields` that the reply does not have. */
  readonly unknownField: (field: string, known: readonly string[]) => AppError;
}

type Row = Readonly<Record<string, unknown>>;

interface Answer {
  readonly rows: readonly Row[];
  readonly kind: 'list' | 'record';
  /** Rebuilds the whole document with its rows replaced by `items`. */
  readonly whole: (items: readonly unknown[]) => unknown;
}

/**
 * Renders `reply` for stdout.
 * @throws AppError `argument_invalid` when `--fields` names a field the reply does not have.
 */
export async function render(reply: unknown, view: View, sheet: RenderOptions): Promise<string> {
  const reading: FormatContext = { quotaPerUnit: sheet.quotaPerUnit, words: view.words ?? {} };
  const answer = answerOf(reply, view);
  const documents = answer.rows.map((row) => documentOf(row, reading) as Row); // still an object
  checkFields(sheet, view, documents);
  const picked = documents.map((row) => selectFields(row, sheet.fields, view));
  switch (sheet.format) {
    case 'json':
      return `${JSON.stringify(answer.whole(picked), null, 2)}\n`;
    case 'jsonl':
      return picked.map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'yaml':
      return (await import('../../session/yaml.ts')).yamlText(answer.whole(picked));
    case 'csv':
      return spreadsheet(documents, columnsOf(answer, view, sheet, true), view);
    case 'ids':
      return documents.map((row) => `${textOf(row[view.id ?? 'id'])}\n`).join('');
    case 'wide':
    case 'table':
      return tabular(answer, documents, view, sheet, reading);
  }
}

/** Number of rows in a reply, for the note below a list. */
export function countOf(reply: unknown): number | undefined {
  if (Array.isArray(reply)) return reply.length;
  return isPage(reply) ? reply.items.length : undefined;
}

export function isPage(
  reply: unknown,
): reply is { items: readonly unknown[]; page: number; total: number } {
  return typeof reply === 'object' && reply !== null && 'items' in reply && 'total' in reply;
}

/** All lists have the form of a page, so that programs read them alike. */
function envelopeOf(items: readonly unknown[]) {
  return { items, page: 1, page_size: items.length, total: items.length };
}

function answerOf(reply: unknown, view: View): Answer {
  const name = view.columns[0] ?? 'value';
  const rowOf = (item: unknown): Row =>
    typeof item === 'object' && item !== null ? (item as Row) : { [name]: item }; // any object has fields
  if (isPage(reply)) {
    const whole = (items: readonly unknown[]) => ({ ...reply, items });
    return { rows: reply.items.map(rowOf), kind: 'list', whole };
  }
  if (Array.isArray(reply)) return { rows: reply.map(rowOf), kind: 'list', whole: envelopeOf };
  return { rows: [rowOf(reply)], kind: 'record', whole: ([item]) => item };
}

function checkFields(
  { fields, unknownField }: RenderOptions,
  view: View,
  rows: readonly Row[],
): void {
  if (fields === undefined || rows.length === 0) return;
  const names = Object.keys(view.aliases ?? {});
  const known = [...new Set([...rows.flatMap((row) => Object.keys(row)), ...names])];
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown !== undefined) throw unknownField(unknown, known);
}

/** The selected fields under the names used in `--fields`; all fields if none are selected. */
export function selectFields(row: Row, fields: readonly string[] | undefined, view: View): Row {
  if (fields === undefined) return row;
  return Object.fromEntries(fields.map((name) => [name, row[sourceOf(name, row, view)]]));
}

/** Resolves an alias; the row's own fields take precedence. */
function sourceOf(name: string, row: Row, { aliases }: View): string {
  return name in row ? name : (aliases?.[name] ?? name);
}

function columnsOf(
  answer: Answer,
  view: View,
  sheet: RenderOptions,
  wide: boolean,
): readonly string[] {
  if (sheet.fields !== undefined) return sheet.fields;
  if (answer.kind === 'record' && !(view.brief && !wide)) return Object.keys(answer.rows[0] ?? {});
  return wide ? [...view.columns, ...(view.wide ?? [])] : view.columns;
}

async function spreadsheet(
  rows: readonly Row[],
  columns: readonly string[],
  view: View,
): Promise<string> {
  const { csvText } = await import('../../services/logs/csv.ts');
  const cellsOf = (row: Row) => columns.map((name) => row[sourceOf(name, row, view)]);
  return csvText([columns, ...rows.map(cellsOf)]);
}

async function tabular(
  answer: Answer,
  documents: readonly Row[],
  view: View,
  sheet: RenderOptions,
  reading: FormatContext,
): Promise<string> {
  const columns = columnsOf(answer, view, sheet, sheet.format === 'wide');
  if (!sheet.isAligned) {
    const header = sheet.hasHeader && answer.kind === 'list' ? `${columns.join('\t')}\n` : '';
    return header + tabbed(answer, documents, columns, view);
  }
  const cell = (row: Row, document: Row, field: string): Cell => {
    const name = sourceOf(field, document, view);
    const value = name in row ? row[name] : document[name];
    return { text: cellOf(name, value, row, reading), right: isNumeric(name, value, reading) };
  };
  const [row] = answer.rows;
  const [document] = documents;
  if (answer.kind === 'record' && row !== undefined && document !== undefined) {
    return recordText(columns, (name) => cell(row, document, name).text, sheet.dim);
  }
  const cells = answer.rows.map((row, index) =>
    columns.map((name) => cell(row, documents[index] ?? {}, name)),
  );
  const width = sheet.format === 'wide' ? Number.POSITIVE_INFINITY : sheet.width;
  return (await import('./text-table.ts')).tableText(columns, cells, { width, dim: sheet.dim });
}

function recordText(
  names: readonly string[],
  textOf: (name: string) => string,
  dim: (text: string) => string,
): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `${dim(name.padEnd(width))}  ${textOf(name)}`.trimEnd());
  return lines.map((line) => `${line}\n`).join('');
}

/** For `cut`, `awk` etc.: one row per line, words for numbers; an object as names and values. */
function tabbed(
  answer: Answer,
  rows: readonly Row[],
  columns: readonly string[],
  view: View,
): string {
  const fieldOf = (row: Row, field: string) => {
    const name = sourceOf(field, row, view);
    return oneLine(textOf(row[`${name}_word`] ?? row[name]));
  };
  const [record] = rows;
  if (answer.kind === 'record' && record !== undefined) {
    return columns.map((name) => `${name}\t${fieldOf(record, name)}\n`).join('');
  }
  return rows.map((row) => `${columns.map((name) => fieldOf(row, name)).join('\t')}\n`).join('');
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
