import { expect, it } from 'vitest';
import { calendarDay } from '../../../src/domain/logs/calendar-day.ts';

it.each([
  ['UTC', '2026-11-21T23:59:59Z', '2026-11-21'],
  ['Asia/Shanghai', '2026-11-21T16:00:00Z', '2026-11-22'],
  ['America/Los_Angeles', '2026-01-01T07:59:59Z', '2025-12-31'],
  // The day on which clocks go back there has 25 hours.
  ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T23:00:00Z', '2026-10-26'],
])('in %s %s is on %s', (timeZone, time, day) => {
  expect(calendarDay(timeZone, Date.parse(time))).toBe(day);
});
