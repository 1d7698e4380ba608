import { describe, expect, test } from 'vitest';
import type { BudgetAnchor, BudgetPeriod } from '../../../src/domain/budgets/budget.ts';
import {
  END_OF_TIME_SEC,
  type WindowRule,
  type WindowSpan,
  windowAt,
} from '../../../src/domain/budgets/window.ts';

const HOUR = 3_600;
const DAY = 86_400;
const ZONES = ['', 'Europe/Berlin', 'America/Santiago', 'America/Havana', 'Asia/Kathmandu'];
const PERIODS: readonly BudgetPeriod[] = ['hour', '5h', 'day', 'week', 'month'];

function rule(period: BudgetPeriod, timeZone = '', anchor: BudgetAnchor = 'calendar'): WindowRule {
  return { period, anchor, timeZone, createdAtSec: sec('2020-01-01T12:34:56Z') };
}

function sec(time: string): number {
  return Date.parse(time) / 1000;
}

function span(startsAt: string, endsAt: string): WindowSpan {
  return { startsAtSec: sec(startsAt), endsAtSec: sec(endsAt) };
}

describe('the window of a calendar budget', () => {
  test.each([
    ['hour', '', '2026-05-06T07:59:59Z', '2026-05-06T07:00:00Z', '2026-05-06T08:00:00Z'],
    ['hour', 'Asia/Kathmandu', '2026-05-06T07:20:00Z', '2026-05-06T07:15Z', '2026-05-06T08:15Z'],
    ['5h', '', '2026-05-06T09:59:59Z', '2026-05-06T05:00:00Z', '2026-05-06T10:00:00Z'],
    ['5h', '', '2026-05-06T23:00:00Z', '2026-05-06T20:00:00Z', '2026-05-07T00:00:00Z'],
    [
      'day',
      'Asia/Shanghai',
      '2026-05-06T16:00:00Z',
      '2026-05-06T16:00:00Z',
      '2026-05-07T16:00:00Z',
    ],
    // 23 and 25 hours
    [
      'day',
      'Europe/Berlin',
      '2026-03-29T12:00:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T22:00:00Z',
    ],
    [
      'day',
      'Europe/Berlin',
      '2026-10-25T12:00:00Z',
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
    ],
    // The clock skips midnight, or has it twice.
    ['day', 'America/Santiago', '2026-09-06T12:00Z', '2026-09-06T04:00Z', '2026-09-07T03:00Z'],
    ['day', 'America/Havana', '2026-11-01T12:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z'],
    // From Monday
    ['week', '', '2026-05-03T23:59:59Z', '2026-04-27T00:00:00Z', '2026-05-04T00:00:00Z'],
    ['week', '', '2026-05-04T00:00:00Z', '2026-05-04T00:00:00Z', '2026-05-11T00:00:00Z'],
    ['month', '', '2026-02-28T23:59:59Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
    ['month', '', '2028-02-29T00:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', 'Europe/Berlin', '2026-03-31T21:59:59Z', '2026-02-28T23:00Z', '2026-03-31T22:00Z'],
  ] as const)('%s in %s at %s', (period, zone, at, startsAt, endsAt) => {
    expect(windowAt(rule(period, zone), sec(at), undefined)).toEqual(span(startsAt, endsAt));
  });

  test.each(ZONES.flatMap((zone) => PERIODS.map((period) => [period, zone] as const)))(
    'follows the one before without a gap and without an overlap: %s in %s',
    (period, zone) => {
      const from = sec('2026-01-01T00:00:00Z');
      const until = from + (period === 'hour' || period === '5h' ? 30 : 400) * DAY;
      let newest = windowAt(rule(period, zone), from, undefined);
      while (newest.endsAtSec < until) {
        const inside = Math.floor((newest.startsAtSec + newest.endsAtSec) / 2);
        expect(windowAt(rule(period, zone), inside, newest)).toBe(newest);
        expect(windowAt(rule(period, zone), newest.endsAtSec - 1, newest)).toBe(newest);
        const next = windowAt(rule(period, zone), newest.endsAtSec, newest);
        expect(next.startsAtSec).toBe(newest.endsAtSec);
        expect(next.endsAtSec).toBeGreaterThan(next.startsAtSec);
        newest = next;
      }
    },
  );

  test('of a total budget has no end', () => {
    const now = sec('2026-05-06T07:00:00Z');
    const startsAtSec = sec('2020-01-01T12:34:56Z');
    const total = windowAt(rule('total'), now, undefined);
    expect(total).toEqual({ startsAtSec, endsAtSec: END_OF_TIME_SEC });
    expect(windowAt(rule('total'), now + 900 * DAY, total)).toBe(total);
  });
});

describe('the window of a budget that begins with a call', () => {
  const at = sec('2026-05-06T07:11:13Z');

  test('has the length of its period and is followed by the next call, not by the clock', () => {
    const first = windowAt(rule('5h', '', 'first_use'), at, undefined);
    expect(first).toEqual({ startsAtSec: at, endsAtSec: at + 5 * HOUR });
    expect(windowAt(rule('5h', '', 'first_use'), at + 5 * HOUR - 1, first)).toBe(first);
    expect(windowAt(rule('5h', '', 'first_use'), at + 9 * HOUR, first)).toEqual({
      startsAtSec: at + 9 * HOUR,
      endsAtSec: at + 14 * HOUR,
    });
  });
});

describe('a change of a budget while its window runs', () => {
  const at = sec('2026-05-06T07:00:00Z');
  const day = windowAt(rule('day'), at, undefined);

  test('of the zone applies when the window has ended, and leaves no gap', () => {
    const moved = rule('day', 'Asia/Shanghai');
    expect(windowAt(moved, at, day)).toBe(day);
    expect(windowAt(moved, day.endsAtSec, day)).toEqual(
      span('2026-05-07T00:00:00Z', '2026-05-07T16:00:00Z'),
    );
  });

  test('to a longer period begins when the window has ended', () => {
    expect(windowAt(rule('month'), at, day)).toBe(day);
    expect(windowAt(rule('month'), day.endsAtSec, day)).toEqual(
      span('2026-05-07T00:00:00Z', '2026-06-01T00:00:00Z'),
    );
  });

  test('to a shorter period ends the window at once', () => {
    const month = windowAt(rule('month'), at, undefined);
    expect(windowAt(rule('day'), at, month)).toEqual({
      startsAtSec: at,
      endsAtSec: sec('2026-05-07T00:00:00Z'),
    });
  });

  test('a clock that is set back opens no second window', () => {
    expect(windowAt(rule('day'), day.startsAtSec - 10, day)).toBe(day);
  });
});
