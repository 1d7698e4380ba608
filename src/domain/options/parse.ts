/** The door through which every new option value comes in, whoever sends it. */
import { AppError } from '../errors/errors.ts';
import { type OptionProblem, optionProblemText, problem } from './problems.ts';
import { readText } from './read.ts';
import { isOptionKey, type OptionKey, type OptionValue, rowOf } from './registry.ts';
import type { OptionRow } from './row.ts';
import { type Current, clash, fallbackKeyOf, fallbackPricingOf, fallbackProblem } from './rules.ts';

export interface ParsedOption<K extends OptionKey = OptionKey> {
  readonly key: K;
  /** What to write into the table `options`. */
  readonly stored: string;
  readonly value: OptionValue<K>;
}

export interface OptionChange {
  readonly key: string;
  readonly value: unknown;
}

/**
 * One new value: text, or a JSON boolean, number, list or map where the row is of that kind.
 * `current` answers what counts now for another key (stored, else default).
 * @throws AppError `option_unknown` with `key`; `option_invalid` with `key`, `problem` (English),
 * `reason` (a key of `PROBLEMS`) and that problem's own parameters. Never repeats the value.
 */
export function parseOption(key: string, value: unknown, current: Current): ParsedOption {
  const parsed = readOption(key, value);
  refuseIf(parsed.key, clash(parsed.key, parsed.stored, current));
  return parsed;
}

/**
 * Several values that are saved together: rules between options see all of them at once, so their
 * order does not matter. The last one wins when a key comes twice.
 * @throws AppError as `parseOption`, for the first refused change; then nothing may be saved.
 */
export function parseOptions(changes: readonly OptionChange[], current: Current): ParsedOption[] {
  const parsed = new Map<string, ParsedOption>();
  for (const { key, value } of changes) parsed.set(key, readOption(key, value));
  const after: Current = (key) => parsed.get(key)?.stored ?? current(key);
  if ([...parsed.keys()].some((key) => key.startsWith('fallback_'))) {
    const found = fallbackProblem(fallbackPricingOf(after));
    if (found) throw refusal(fallbackKeyOf(found), found);
  }
  for (const { key, stored } of parsed.values()) refuseIf(key, clash(key, stored, after));
  return [...parsed.values()];
}

/** Whether saving this value means "keep the secret that is stored": ask before `parseOption`. */
export function keepsSecret(key: string, value: unknown): boolean {
  const isSecret = isOptionKey(key) && rowOf(key).secret === true;
  return isSecret && (value === null || value === undefined || String(value).trim() === '');
}

function readOption(key: string, value: unknown): ParsedOption {
  if (!isOptionKey(key)) throw new AppError('option_unknown', { key }, { param: key });
  const row = rowOf(key);
  const text = textOf(row, value);
  const reading = text === undefined ? { problem: problem('not_text') } : readText(row, text);
  if ('problem' in reading) throw refusal(key, reading.problem);
  // The row has just been read by its own type; the compiler cannot follow that through the table.
  return { key, stored: reading.stored, value: reading.value as OptionValue<OptionKey> };
}

/** JSON values in the text form of the row, so that a YAML file may hold plain maps and lists. */
function textOf(row: OptionRow, value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (row.type === 'json') return value === undefined ? undefined : JSON.stringify(value);
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (value === null && 'blank' in row) return '';
  const isItems = row.type === 'lines' || row.type === 'list';
  if (!isItems || !Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value.join('\n') : undefined;
}

function refuseIf(key: OptionKey, found: OptionProblem | undefined): void {
  if (found) throw refusal(key, found);
}

function refusal(key: OptionKey, found: OptionProblem): AppError {
  const params = { ...found.params, key, reason: found.reason, problem: optionProblemText(found) };
  return new AppError('option_invalid', params, { param: key });
}
