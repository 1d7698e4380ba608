/** Parses one option's text by its row into canonical stored text and typed value, or a problem. */
import { type OptionProblem, optionProblem } from './problems.ts';
import type { ChoiceRow, ItemsRow, JsonRow, NumberRow, OptionRow, TextRow } from './row.ts';
import { SHAPES } from './shapes.ts';

export type OptionReading =
  | { readonly stored: string; readonly value: unknown }
  | { readonly problem: OptionProblem };

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Checks the row alone; rules between options are in `rules.ts`. Never throws. */
export function readOptionText(row: OptionRow, text: string): OptionReading {
  switch (row.type) {
    case 'bool':
      return readBool(text);
    case 'int':
    case 'number':
      return readNumber(row, text.trim());
    case 'text':
      return readLineOrText(row, text);
    case 'lines':
    case 'list':
      return readItems(row, text);
    case 'json':
      return readJson(row, text.trim());
    case 'choice':
      return readChoice(row, text.trim());
  }
}

function readBool(text: string): OptionReading {
  const stored = text.trim().toLowerCase();
  if (stored !== 'true' && stored !== 'false') return { problem: optionProblem('not_bool') };
  return { stored, value: stored === 'true' };
}

function readNumber(row: NumberRow, text: string): OptionReading {
  if (text === '' && row.blank) return { stored: '', value: null };
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return { problem: optionProblem('not_number') };
  if (row.type === 'int' && !Number.isSafeInteger(value))
    return { problem: optionProblem('not_int') };
  const problem = row.boundWhile === undefined ? boundsProblem(row, value) : undefined;
  if (problem !== undefined) return { problem };
  // `+ 0` turns -0 into 0.
  return { stored: String(value + 0), value: value + 0 };
}

export function boundsProblem({ min, max }: NumberRow, value: number): OptionProblem | undefined {
  if (value < min) return optionProblem('too_small', { limit: min });
  return max !== undefined && value > max ? optionProblem('too_large', { limit: max }) : undefined;
}

function readLineOrText(row: TextRow, text: string): OptionReading {
  const stored = row.form === undefined ? text : inForm(row.form, text);
  if (row.form !== undefined && /[\r\n]/.test(stored))
    return { problem: optionProblem('several_lines') };
  const wrong = row.check?.(stored);
  return wrong ? { problem: wrong } : { stored, value: stored };
}

function inForm(form: 'line' | 'address', text: string): string {
  return form === 'address' ? text.trim().replace(/\/+$/, '') : text.trim();
}

function readItems(row: ItemsRow, text: string): OptionReading {
  const separator = row.type === 'list' ? ',' : '\n';
  const items = text
    .split(row.type === 'list' ? /[,\r\n]/ : /\r\n|\r|\n/)
    .map((item) => item.trim());
  const entries = items.filter((item) => item !== '');
  const value = Object.freeze([...new Set(entries)]);
  const wrong = row.check?.(entries);
  return wrong ? { problem: wrong } : { stored: value.join(separator), value };
}

/** The text is stored as given, which preserves the operator's formatting of a long map. */
function readJson(row: JsonRow, text: string): OptionReading {
  const { schema, text: shape } = SHAPES[row.shape];
  const json = parsedJson(text);
  if (json === undefined) return { problem: optionProblem('not_json') };
  const result = schema.safeParse(json);
  if (result.success) return { stored: text, value: result.data };
  const at = (result.error.issues[0]?.path ?? []).map(String).join('.');
  const wanted = { shape, shape_name: row.shape };
  return {
    problem:
      at === ''
        ? optionProblem('not_shape', wanted)
        : optionProblem('not_shape_at', { ...wanted, at }),
  };
}

function parsedJson(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return json;
  } catch {
    // Invalid JSON yields `undefined`, an expected result rather than an error.
    return undefined;
  }
}

function readChoice(row: ChoiceRow, text: string): OptionReading {
  const { choices, renamed = {} } = row;
  const chosen = Object.hasOwn(renamed, text) ? (renamed[text] ?? text) : text;
  if (choices.includes(chosen)) return { stored: chosen, value: chosen };
  return { problem: optionProblem('not_choice', { choices }) };
}
