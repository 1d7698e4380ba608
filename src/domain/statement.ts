/** The days of a statement: what changed the balance of an account in a month, summed by day and model. */
import * as z from 'zod/mini';
import type { ChangeKind } from './logs/log-types.ts';
import { dayText, monthsAfter } from './logs/months.ts';
import { localDay, type OffsetAt, startOfLocalDay } from './time-zones.ts';

const DAY_SEC = 86_400;

/** Ledger entries of a day with the same cause and model. */
export interface StatementSum {
  /** 0 is the first day of the month. */
  readonly dayIndex: number;
  /** `other` for what is neither a charge nor a refund of a call. */
  readonly cause: 'charge' | 'refund' | 'other';
  /** Of a charge or refund. */
  readonly model: string;
  readonly entries: number;
  /** By their sign. */
  readonly credits: number;
  readonly debits: number;
}

const Movement = z.object({ cause: z.string(), created_at: z.int(), units: z.int() });
export type Movement = z.output<typeof Movement>;

/** Units are signed, as the balance sees them. */
export const StatementDay = z.object({
  /** Such as `2026-11-21`, in the time zone of the statement. */
  day: z.string(),
  /** Epoch seconds; the end is excluded. */
  from: z.int(),
  to: z.int(),
  charges: z.int(),
  calls: z.int(),
  refunds: z.int(),
  /** How many. */
  refund_count: z.int(),
  /** Changes that are neither charges nor refunds of calls, by their sign. */
  credits: z.int(),
  debits: z.int(),
  /** At the end of the day. */
  closing: z.int(),
  /** The charges by model, largest first, and the refunds; '' where none is recorded. */
  models: z.array(z.object({ model: z.string(), calls: z.int(), units: z.int() })),
  refund_models: z.array(z.object({ model: z.string(), entries: z.int(), units: z.int() })),
  /** Each other change, oldest first. */
  movements: z.array(Movement),
  /** How many further ones there are, which only the sums contain: a statement lists at most 500. */
  omitted: z.int(),
});
export type StatementDay = z.output<typeof StatementDay>;

/** What a ledger entry did to the balance, for its sign, word and colour. */
export function changeKindOf(cause: string, units: number): ChangeKind {
  if (cause === 'refund') return 'refund';
  return units < 0 ? 'charge' : 'credit';
}

export interface StatementMonth {
  /** Such as `2026-11`. */
  readonly month: string;
  /** The beginning of each day, and the end of the last one. */
  readonly bounds: readonly number[];
}

/** The days of a month such as `2026-11` in a time zone. */
export function daysOfMonth(month: string, offsetAt: OffsetAt): StatementMonth {
  const firstSec = Date.parse(`${month}-01T00:00:00Z`) / 1000;
  const first = firstSec / DAY_SEC;
  const count = (monthsAfter(firstSec, 1) - firstSec) / DAY_SEC;
  const bounds = Array.from({ length: count + 1 }, (_, index) =>
    startOfLocalDay(first + index, offsetAt),
  );
  return { month, bounds };
}

/** The month of a moment, such as `2026-11`. */
export function localMonth(sec: number, offsetAt: OffsetAt): string {
  return dayText(localDay(sec, offsetAt) * DAY_SEC).slice(0, 7);
}

export interface StatementEntries {
  /** The balance before them. */
  readonly opening: number;
  readonly sums: readonly StatementSum[];
  /** Some of the other changes. */
  readonly movements: readonly Movement[];
}

/** The days on which the balance changed, and the balance after them. */
export function statementDays(
  { month, bounds }: StatementMonth,
  { opening, sums, movements }: StatementEntries,
): { readonly days: StatementDay[]; readonly closing: number } {
  let closing = opening;
  const days = bounds.slice(1).flatMap((to, index): StatementDay[] => {
    const from = bounds[index] ?? to;
    const ofDay = sums.filter(({ dayIndex }) => dayIndex === index);
    if (ofDay.length === 0) return [];
    const listed = movements.filter(({ created_at: at }) => at >= from && at < to);
    closing += ofDay.reduce((total, sum) => total + unitsOf(sum), 0);
    const day = `${month}-${String(index + 1).padStart(2, '0')}`;
    return [{ day, from, to, ...daySums(ofDay, listed), closing }];
  });
  return { days, closing };
}

function unitsOf({ credits, debits }: StatementSum): number {
  return credits + debits;
}

function daySums(sums: readonly StatementSum[], movements: readonly Movement[]) {
  const of = (wanted: StatementSum['cause']) => sums.filter(({ cause }) => cause === wanted);
  const total = (some: readonly StatementSum[], read: (sum: StatementSum) => number) =>
    some.reduce((all, sum) => all + read(sum), 0);
  const entriesIn = ({ entries }: StatementSum) => entries;
  const [charges, refunds, others] = [of('charge'), of('refund'), of('other')];
  return {
    charges: total(charges, unitsOf),
    calls: total(charges, entriesIn),
    refunds: total(refunds, unitsOf),
    refund_count: total(refunds, entriesIn),
    credits: total(others, ({ credits }) => credits),
    debits: total(others, ({ debits }) => debits),
    models: charges
      .map((sum) => ({ model: sum.model, calls: sum.entries, units: unitsOf(sum) }))
      .toSorted((a, b) => a.units - b.units),
    refund_models: refunds
      .map((sum) => ({ model: sum.model, entries: sum.entries, units: unitsOf(sum) }))
      .toSorted((a, b) => b.units - a.units),
    movements: movements.toSorted((a, b) => a.created_at - b.created_at),
    omitted: total(others, entriesIn) - movements.length,
  };
}
