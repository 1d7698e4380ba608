/** Encodes schema violations as reasons that the locales translate. */
import type * as z from 'zod/mini';
import { ERROR_REASONS, type ErrorReason } from '../domain/errors/error-reasons.ts';
import type { ErrorParams } from '../domain/errors/errors.ts';

/** Builds a check's message: reason and parameters as one text, because checks accept only text. */
export function problemMessage(reason: ErrorReason, params: ErrorParams = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return query.size === 0 ? reason : `${reason}?${query}`;
}

export interface ParsedProblem {
  readonly reason: ErrorReason;
  readonly params: ErrorParams;
}

/** Parses the text of `problemMessage` or `issueMessage`. */
export function parseProblem(message: string): ParsedProblem {
  const [reason = '', query = ''] = message.split('?', 2);
  if (!isReason(reason)) return { reason: 'not_accepted', params: {} };
  const sent = new URLSearchParams(query);
  const params = [...sent].map(([name, value]) => {
    if (LISTS.has(name)) return [name, sent.getAll(name)];
    return [name, NUMBERS.has(name) ? Number(value) : value];
  });
  return { reason, params: Object.fromEntries(params) };
}

/** Parameters of reasons that are numbers, and those that are lists. */
const NUMBERS: ReadonlySet<string> = new Set(['least', 'most', 'step']);
const LISTS: ReadonlySet<string> = new Set(['choices', 'names', 'similar']);

function isReason(text: string): text is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, text);
}

/** Message for checks without their own. */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return problemMessage(issue.input === undefined ? 'missing' : typeProblem(issue.expected));
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_value':
      return issue.input === undefined
        ? problemMessage('missing')
        : problemMessage('not_choice', { choices: issue.values.map(String) });
    case 'unrecognized_keys':
      return problemMessage('unknown_fields', { names: issue.keys });
    case 'not_multiple_of':
      return problemMessage('not_multiple', { step: issue.divisor });
    case 'invalid_format':
      return problemMessage('wrong_form');
    case 'invalid_union':
      return issue.input === undefined ? problemMessage('missing') : unionProblem(issue);
    default:
      return problemMessage('not_accepted');
  }
}

/** The values of a union of literals; the types of one of text and numbers, or of one type. */
function unionProblem({ errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const issues = errors.flat();
  const choices = issues.flatMap((issue) =>
    issue.code === 'invalid_value' ? issue.values.map(String) : [],
  );
  const types = issues.flatMap((issue) => (issue.code === 'invalid_type' ? issue.expected : []));
  if (types.length === 0 && choices.length > 0)
    return problemMessage('not_choice', { choices: [...new Set(choices)] });
  const [first, ...more] = new Set(types);
  if (first !== undefined && more.length === 0) return problemMessage(typeProblem(first));
  const isPlain = types.every((type) => type === 'string' || type === 'number');
  return problemMessage(isPlain ? 'not_text_or_number' : 'wrong_type');
}

const TYPE_PROBLEMS: Readonly<Partial<Record<string, ErrorReason>>> = {
  string: 'not_text',
  number: 'not_number',
  int: 'not_int',
  boolean: 'not_bool',
  array: 'not_list',
  object: 'not_object',
  record: 'not_object',
};

function typeProblem(expected: string): ErrorReason {
  return TYPE_PROBLEMS[expected] ?? 'wrong_type';
}

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>) {
  const least = Number(minimum);
  if (origin === 'string')
    return least <= 1 ? problemMessage('empty') : problemMessage('too_short', { least });
  if (origin === 'array' || origin === 'set')
    return least <= 1 ? problemMessage('empty') : problemMessage('too_few', { least });
  return problemMessage(inclusive === false ? 'not_above' : 'too_small', { least });
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>) {
  const most = Number(maximum);
  if (origin === 'string') return problemMessage('too_long', { most });
  if (origin === 'array' || origin === 'set') return problemMessage('too_many', { most });
  return problemMessage(inclusive === false ? 'not_below' : 'too_large', { most });
}
