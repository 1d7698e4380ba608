/** Validates the time spans of dashboard requests. */

import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';

export interface TimeRange {
  readonly sinceSec: number;
  readonly untilSec: number;
}

/**
 * The end defaults to now, the start to 24 hours before the end.
 * @throws AppError `span_too_long`, `input_invalid` when the end comes before the start.
 */
export function requireTimeRange(
  ctx: Pick<Context, 'now'>,
  input: {
    readonly start_timestamp?: number | undefined;
    readonly end_timestamp?: number | undefined;
  },
  maxDays: number,
): TimeRange {
  const untilSec = input.end_timestamp || nowSec(ctx);
  const sinceSec = input.start_timestamp || untilSec - DAY_SEC;
  if (sinceSec > untilSec) throw invalidInput('end_timestamp', 'before_start');
  if (untilSec - sinceSec > maxDays * DAY_SEC)
    throw new AppError('span_too_long', { days: maxDays }, { param: 'start_timestamp' });
  return { sinceSec, untilSec };
}
