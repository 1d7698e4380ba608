import { expect } from 'vitest';
import type { AppError, ErrorCode } from '../../src/domain/errors/errors.ts';

/** Expects a call to fail with this error, and with these of its fields. */
export async function expectRefusal(
  call: Promise<unknown>,
  code: ErrorCode,
  fields: Partial<Pick<AppError, 'param' | 'params' | 'status'>> = {},
): Promise<void> {
  await expect(call).rejects.toMatchObject({ ...fields, code });
}

/** How often each result occurs among concurrent calls: `done`, or the code of an error. */
export async function outcomesOf(
  calls: readonly Promise<unknown>[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const name = outcome.status === 'fulfilled' ? 'done' : String(outcome.reason.code);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
