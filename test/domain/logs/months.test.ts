import { expect, test } from 'vitest';
import { dayOf, dayText, monthOf, monthsAfter } from '../../../src/domain/logs/months.ts';

const at = (text: string) => Date.parse(text) / 1000;

test('days and months begin at midnight UTC', () => {
  expect(dayOf(at('2026-11-21T12:00:01Z'))).toBe(at('2026-11-21T00:00:00Z'));
  expect(dayOf(at('1969-12-31T23:00:00Z'))).toBe(at('1969-12-31T00:00:00Z'));
  expect(monthOf(at('2026-11-30T23:59:59Z'))).toBe(at('2026-11-01T00:00:00Z'));
  expect(dayText(at('2026-02-28T23:59:59Z'))).toBe('2026-02-28');
});

test('counts months across the end of a year', () => {
  expect(monthsAfter(at('2026-11-30T12:00:00Z'), 3)).toBe(at('2027-02-01T00:00:00Z'));
  expect(monthsAfter(at('2027-01-31T12:00:00Z'), 1)).toBe(at('2027-02-01T00:00:00Z'));
});
