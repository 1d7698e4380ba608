/** Validates the time spans of dashboard requests. */

import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';

export interface Span {
  readonly sinceSec: number;
  readonly untilSec: number;
}

/**
 * The end defaults to now, the start to 24 hours before the end.
 * @throws AppError `span_too_long`, `input_invalid` when the end comes before the start.
 */
export function spanOf(
  ctx: Pick<Context, 'now'>,
  asked: {
    readonly start_timestamp?: number | undefined;
    readonly end_timestamp?: number | undefined;
  },
  mostDays: number,
): Span {
  const untilSec = asked.end_timestamp || nowSec(ctx);
  const sinceSec = asked.start_timestamp || untilSec - DAY_SEC;
  if (sinceSec > untilSec) throw invalidInput('end_timestamp', 'before_start');
  if (untilSec - sinceSec > mostDays * DAY_SEC)
    throw new AppError('span_too_long', { days: mostDays }, { param: 'start_timestamp' });
  return { sinceSec, untilSec };
}
