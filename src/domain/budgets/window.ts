/**
 * The windows of a budget. They never overlap: the next one begins no earlier than the newest ends,
 * whatever is changed in the budget meanwhile.
 */
import {
  localDay,
  localDayStart,
  localHourStart,
  type OffsetAt,
  offsetsOf,
} from '../time-zones.ts';
import type { Budget, BudgetPeriod, BudgetWindow } from './budget.ts';

export interface WindowSpan {
  readonly startsAtSec: number;
  /** The first second after it. */
  readonly endsAtSec: number;
}

export type WindowRule = Pick<Budget, 'period' | 'anchor' | 'timeZone' | 'createdAtSec'>;

/** The end of the window of a total budget: the last second of the year 9999. */
export const END_OF_TIME_SEC = 253_402_300_799;

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

/** Windows that begin with a call have one length. */
const LENGTH_SEC: Readonly<Record<BudgetPeriod, number>> = {
  hour: HOUR_SEC,
  '5h': 5 * HOUR_SEC,
  day: DAY_SEC,
  week: 7 * DAY_SEC,
  month: 30 * DAY_SEC,
  total: END_OF_TIME_SEC,
};

/** No window of the period is longer; days of 25 hours and changes of a zone are included. */
const LONGEST_SEC: Readonly<Record<BudgetPeriod, number>> = {
  ...LENGTH_SEC,
  day: 2 * DAY_SEC,
  week: 8 * DAY_SEC,
  month: 32 * DAY_SEC,
};

/**
 * The window that counts a call at `atSec`: the newest one while it runs, else the next. A window
 * keeps its end when the zone or the anchor is changed, or the period becomes longer; it ends at
 * once when the period becomes shorter. The caller then stores the new end.
 */
export function windowAt(
  rule: WindowRule,
  atSec: number,
  newest: WindowSpan | undefined,
): WindowSpan {
  if (newest !== undefined && isRunning(rule, atSec, newest)) return newest;
  const earliestSec = Math.min(newest?.endsAtSec ?? 0, atSec);
  const span =
    rule.anchor === 'first_use' ? spanFrom(rule.period, atSec) : calendarSpan(rule, atSec);
  return { ...span, startsAtSec: Math.max(span.startsAtSec, earliestSec) };
}

/**
 * The window that counts a call at `atSec`, with what it has used; undefined if it will begin with
 * the next call.
 */
export function currentWindow(
  rule: WindowRule,
  atSec: number,
  newest: BudgetWindow | undefined,
): Omit<BudgetWindow, 'budgetId'> | undefined {
  const span = windowAt(rule, atSec, newest);
  if (newest?.startsAtSec === span.startsAtSec)
    return { ...span, spent: newest.spent, held: newest.held };
  return rule.anchor === 'first_use' ? undefined : { ...span, spent: 0, held: 0 };
}

function isRunning({ period }: WindowRule, atSec: number, newest: WindowSpan): boolean {
  // A clock that was set back must not open a second window.
  if (atSec <= newest.startsAtSec) return true;
  const lengthSec = newest.endsAtSec - newest.startsAtSec;
  return atSec < newest.endsAtSec && lengthSec <= LONGEST_SEC[period];
}

function spanFrom(period: BudgetPeriod, startsAtSec: number): WindowSpan {
  const endsAtSec = Math.min(startsAtSec + LENGTH_SEC[period], END_OF_TIME_SEC);
  return { startsAtSec, endsAtSec };
}

function calendarSpan(rule: WindowRule, atSec: number): WindowSpan {
  return CALENDAR[rule.period](atSec, offsetsOf(rule.timeZone || 'UTC') ?? UTC, rule);
}

const UTC: OffsetAt = () => 0;

const CALENDAR: Readonly<
  Record<BudgetPeriod, (atSec: number, offsetAt: OffsetAt, rule: WindowRule) => WindowSpan>
> = {
  hour: (atSec, offsetAt) => spanFrom('hour', localHourStart(atSec, offsetAt)),
  '5h': fiveHours,
  day: (atSec, offsetAt) => days(atSec, offsetAt, 0, 1),
  week: (atSec, offsetAt) => days(atSec, offsetAt, weekday(atSec, offsetAt), 7),
  month,
  total: (atSec, _offsetAt, { createdAtSec }) => ({
    startsAtSec: Math.min(createdAtSec, atSec),
    endsAtSec: END_OF_TIME_SEC,
  }),
};

/** From midnight; the last window of a day ends with it. */
function fiveHours(atSec: number, offsetAt: OffsetAt): WindowSpan {
  const day = days(atSec, offsetAt, 0, 1);
  const number = Math.floor((atSec - day.startsAtSec) / LENGTH_SEC['5h']);
  const span = spanFrom('5h', day.startsAtSec + number * LENGTH_SEC['5h']);
  return { ...span, endsAtSec: Math.min(span.endsAtSec, day.endsAtSec) };
}

function month(atSec: number, offsetAt: OffsetAt): WindowSpan {
  const local = new Date((atSec + offsetAt(atSec)) * 1000);
  const lastDay = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0));
  return days(atSec, offsetAt, local.getUTCDate() - 1, lastDay.getUTCDate());
}

/** `count` days, of which the first is `before` days before the day of `atSec`. */
function days(atSec: number, offsetAt: OffsetAt, before: number, count: number): WindowSpan {
  return {
    startsAtSec: localDayStart(atSec, offsetAt, before),
    endsAtSec: localDayStart(atSec, offsetAt, before - count),
  };
}

/** 0 is Monday; the first day of the epoch was a Thursday. */
function weekday(atSec: number, offsetAt: OffsetAt): number {
  return (((localDay(atSec, offsetAt) + 3) % 7) + 7) % 7;
}
