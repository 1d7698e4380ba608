/** The days of a statement: what changed the balance of an account in a month, summed by day and model. */
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

/** Units are signed, as the balance sees them. */
export interface StatementDay {
  /** Such as `2026-11-21`, in the time zone of the statement. */
  readonly day: string;
  /** Epoch seconds; the end is excluded. */
  readonly from: number;
  readonly to: number;
  readonly charges: number;
  readonly calls: number;
  readonly refunds: number;
  /** How many. */
  readonly refund_count: number;
  /** Changes that are neither charges nor refunds of calls, by their sign. */
  readonly credits: number;
  readonly debits: number;
  /** At the end of the day. */
  readonly closing: number;
  /** The charges by model, largest first, and the refunds. */
  readonly models: ModelCharges[];
  readonly refund_models: ModelRefunds[];
  /** Each other change, oldest first. */
  readonly movements: Movement[];
  /** How many further ones there are, which only the sums contain. */
  readonly omitted: number;
}

export interface ModelCharges {
  readonly model: string;
  readonly calls: number;
  readonly units: number;
}

export interface ModelRefunds {
  readonly model: string;
  readonly entries: number;
  readonly units: number;
}

export interface Movement {
  readonly cause: string;
  readonly created_at: number;
  readonly units: number;
}

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
