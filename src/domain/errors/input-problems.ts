/** Refuses the fields of an input, one by one or all wrong ones together. */
import { type ErrorReason, reasonParams } from './error-reasons.ts';
import { AppError, type ErrorParams } from './errors.ts';

/** @param field The field's dotted path in the input. */
export function invalidInput(
  field: string,
  reason: ErrorReason,
  params: ErrorParams = {},
  cause?: unknown,
): AppError {
  const named = reasonParams(reason, { ...params, field });
  return new AppError('input_invalid', named, { param: field, cause });
}

/** Most problems that one error reports. */
const MAX_PROBLEMS = 20;

/** One error for all wrong fields of an input; to readers of a single field it is the first. */
export function joinedProblems(first: AppError, more: readonly AppError[]): AppError {
  if (more.length === 0) return first;
  const problems = [first, ...more].slice(0, MAX_PROBLEMS);
  const { code, params, param, cause } = first;
  return new AppError(code, params, { cause, problems, ...(param !== undefined && { param }) });
}

/**
 * Runs all checks and reports the wrong fields that they find together.
 * @throws AppError with its `problems`; any other error of a check ends the run at once.
 */
export async function checkAll(...checks: readonly (() => unknown)[]): Promise<void> {
  const problems: AppError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      problems.push(...problemsIn(error));
    }
  }
  throwJoined(problems);
}

/** The results of all works, or the problems that they find together. @throws AppError as `checkAll`. */
export async function gathered<T>(works: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(works);
  const failed = settled.filter((one) => one.status === 'rejected');
  throwJoined(failed.flatMap(({ reason }) => problemsIn(reason)));
  return settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
}

/** The same for one check of many items. */
export function checkEach<T>(items: readonly T[], check: (item: T) => void): void {
  const problems: AppError[] = [];
  for (const item of items) {
    try {
      check(item);
    } catch (error) {
      problems.push(...problemsIn(error));
    }
  }
  throwJoined(problems);
}

function problemsIn(error: unknown): readonly AppError[] {
  if (error instanceof AppError && error.problems.length > 0) return error.problems;
  throw error;
}

export function throwJoined([first, ...more]: readonly AppError[]): void {
  if (first !== undefined) throw joinedProblems(first, more);
}
