/**
 * The reasons for rejecting an option value. A reason is a locale key; the English text here is the
 * error's `problem`. No text ever repeats the rejected value, which may be a secret.
 */
import type { ErrorParams } from '../errors/errors.ts';

export const OPTION_PROBLEMS = {
  not_text: 'must be text, a number, true or false',
  not_bool: 'must be true or false',
  not_number: 'must be a number',
  not_int: 'must be a whole number',
  too_small: 'must be at least {limit}',
  too_large: 'must be at most {limit}',
  not_choice: 'must be one of: {choices}',
  several_lines: 'must be a single line',
  required: 'must not be empty',
  has_query: 'must not contain ? or #',
  not_web_address: 'must be an address starting with http:// or https://',
  not_link: 'must be a web address, a path starting with / or an image as data:image/...',
  not_domain: 'must list domain names such as example.com; item {item} is not one',
  listed_twice: 'must list each entry once; item {item} repeats another one',
  not_origin: 'must list origins such as https://images.example.com; item {item} is not one',
  bad_pattern: 'contains a regular expression that is not valid, in entry {item}',
  script_in_css: 'must not contain a script tag',
  not_json: 'is not valid JSON',
  not_shape: 'must be JSON: {shape}',
  not_shape_at: 'must be JSON: {shape}; wrong at "{at}"',
  needs: 'cannot be switched on while {other} is empty',
  out_of_bounds: 'cannot be switched on while {other} is not from {min} to {max}',
  needed_by: 'cannot be emptied while {other} is on',
  excludes: 'cannot be used together with {other}',
  incomplete_pair:
    'also needs {other}: the input ratio and the completion ratio must be set together',
  fallback_empty:
    'needs fallback_single_price, or fallback_input_ratio and fallback_completion_ratio',
} as const;

export type ProblemReason = keyof typeof OPTION_PROBLEMS;

export interface OptionProblem {
  readonly reason: ProblemReason;
  readonly params: ErrorParams;
}

export function optionProblem(reason: ProblemReason, params: ErrorParams = {}): OptionProblem {
  return { reason, params };
}

/** The English sentence of a problem, without its subject. */
export function optionProblemText({ reason, params }: OptionProblem): string {
  return OPTION_PROBLEMS[reason].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(params[name] ?? ''),
  );
}
