/** Parses and validates every new option value, whatever its source. */
import { AppError } from '../errors/errors.ts';
import { checkEach } from '../errors/input-problems.ts';
import { type OptionProblem, optionProblem, optionProblemText } from './problems.ts';
import { readOptionText } from './read.ts';
import {
  isOptionKey,
  type OptionKey,
  type OptionValue,
  optionRowOf,
  unknownOption,
} from './registry.ts';
import type { OptionRow } from './row.ts';
import {
  type CurrentOption,
  conflictOf,
  fallbackKeyOf,
  fallbackPricingOf,
  fallbackProblem,
} from './rules.ts';

export interface ParsedOption<K extends OptionKey = OptionKey> {
  readonly key: K;
  /** The text to store in the table `options`. */
  readonly stored: string;
  readonly value: OptionValue<K>;
}

export interface OptionChange {
  readonly key: string;
  readonly value: unknown;
}

/**
 * Parses one new value: text, or a JSON boolean, number, list or map where the row has that type.
 * `current` returns the effective text of another key (stored, else default).
 * @throws AppError `option_unknown` with `key`; `option_invalid` with `key`, `problem` (English),
 * `reason` (a key of `OPTION_PROBLEMS`) and that problem's parameters. Never includes the value.
 */
export function parseOption(key: string, value: unknown, current: CurrentOption): ParsedOption {
  const parsed = readOption(key, value);
  refuseIf(parsed.key, conflictOf(parsed.key, parsed.stored, current, current));
  return parsed;
}

/**
 * Parses several values that are saved together: rules between options see all of them at once, so
 * their order does not matter. If a key occurs twice, the last value wins.
 * @throws AppError as `parseOption`, for all invalid changes; nothing may be saved then.
 */
export function parseOptions(
  changes: readonly OptionChange[],
  current: CurrentOption,
): ParsedOption[] {
  const parsed = new Map<string, ParsedOption>();
  checkEach(changes, ({ key, value }) => parsed.set(key, readOption(key, value)));
  const after: CurrentOption = (key) => parsed.get(key)?.stored ?? current(key);
  if ([...parsed.keys()].some((key) => key.startsWith('fallback_'))) {
    const found = fallbackProblem(fallbackPricingOf(after));
    if (found) throw refusal(fallbackKeyOf(found), found);
  }
  checkEach([...parsed.values()], ({ key, stored }) =>
    refuseIf(key, conflictOf(key, stored, current, after)),
  );
  return [...parsed.values()];
}

/** Whether saving this value means "keep the stored secret"; call it before `parseOption`. */
export function keepsSecret(key: string, value: unknown): boolean {
  const isSecret = isOptionKey(key) && optionRowOf(key).secret === true;
  return isSecret && (value === null || value === undefined || String(value).trim() === '');
}

function readOption(key: string, value: unknown): ParsedOption {
  if (!isOptionKey(key)) throw unknownOption(key);
  const row = optionRowOf(key);
  const text = textOf(row, value);
  const reading =
    text === undefined ? { problem: optionProblem('not_text') } : readOptionText(row, text);
  if ('problem' in reading) throw refusal(key, reading.problem);
  // Parsed just now by its own type; the compiler cannot follow that through the table.
  return { key, stored: reading.stored, value: reading.value as OptionValue<OptionKey> };
}

/** Converts JSON values to the row's text format, so that a YAML file may use maps and lists. */
function textOf(row: OptionRow, value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (row.type === 'json') return value === undefined ? undefined : JSON.stringify(value);
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (value === null && 'blank' in row) return '';
  const isItems = row.type === 'lines' || row.type === 'list';
  if (!isItems || !Array.isArray(value)) return undefined;
  return value.every((item) => typeof item === 'string') ? value.join('\n') : undefined;
}

/** @throws AppError `option_invalid` if there is a problem. */
export function refuseIf(key: OptionKey, found: OptionProblem | undefined): void {
  if (found) throw refusal(key, found);
}

function refusal(key: OptionKey, found: OptionProblem): AppError {
  const params = { ...found.params, key, reason: found.reason, problem: optionProblemText(found) };
  return new AppError('option_invalid', params, { param: key });
}
