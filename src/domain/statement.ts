/** The days of a statement: what changed the balance of an account in a month, summed by day and model. */
import type { ChangeKind } from './logs/log-types.ts';
import { dayText, monthsAfter } from './logs/months.ts';
import { localDay, type OffsetAt, startOfLocalDay } from './time-zones.ts';

const DAY_SEC = 86_400;

/** A ledger entry, as far as statements read it. */
export interface StatementEntry {
  readonly cause: string;
  /** Signed, as the balance sees it. */
  readonly units: number;
  readonly createdAtSec: number;
  /** Of a charge. */
  readonly model: string;
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
  /** The charges by model, largest first. */
  readonly models: ModelCharges[];
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

/** Adds up the entries of a month in any order. */
export class StatementSums {
  readonly #month: StatementMonth;
  readonly #maxMovements: number;
  readonly #days: DaySums[];
  #movements = 0;

  constructor(month: StatementMonth, maxMovements: number) {
    this.#month = month;
    this.#maxMovements = maxMovements;
    this.#days = month.bounds.slice(1).map(() => new DaySums());
  }

  /** Ignores entries of other months. */
  add(entry: StatementEntry): void {
    const after = this.#month.bounds.findIndex((bound) => entry.createdAtSec < bound);
    const day = this.#days[after - 1];
    if (day === undefined) return;
    if (entry.cause === 'charge') day.addCharge(entry);
    else if (entry.cause === 'refund') day.addRefund(entry);
    else {
      this.#movements += 1;
      day.addOther(entry, this.#movements <= this.#maxMovements);
    }
  }

  /** The days on which the balance changed, and the balance after them. */
  end(opening: number): { readonly days: StatementDay[]; readonly closing: number } {
    let balance = opening;
    const days = this.#days.flatMap((sums, index): StatementDay[] => {
      if (sums.isEmpty()) return [];
      balance += sums.total();
      const [from = 0, to = 0] = this.#month.bounds.slice(index, index + 2);
      const day = `${this.#month.month}-${String(index + 1).padStart(2, '0')}`;
      return [{ day, from, to, closing: balance, ...sums.read() }];
    });
    return { days, closing: balance };
  }
}

class DaySums {
  readonly #models = new Map<string, ModelCharges>();
  readonly #movements: Movement[] = [];
  #charges = 0;
  #calls = 0;
  #refunds = 0;
  #refunded = 0;
  #credits = 0;
  #debits = 0;
  #others = 0;

  addCharge({ model, units }: StatementEntry): void {
    const { calls, units: before } = this.#models.get(model) ?? { calls: 0, units: 0 };
    this.#models.set(model, { model, calls: calls + 1, units: before + units });
    this.#charges += units;
    this.#calls += 1;
  }

  addRefund({ units }: StatementEntry): void {
    this.#refunds += units;
    this.#refunded += 1;
  }

  addOther({ cause, units, createdAtSec }: StatementEntry, isListed: boolean): void {
    if (units < 0) this.#debits += units;
    else this.#credits += units;
    this.#others += 1;
    if (isListed) this.#movements.push({ cause, created_at: createdAtSec, units });
  }

  isEmpty(): boolean {
    return this.#calls + this.#refunded + this.#others === 0;
  }

  total(): number {
    return this.#charges + this.#refunds + this.#credits + this.#debits;
  }

  read() {
    return {
      charges: this.#charges,
      calls: this.#calls,
      refunds: this.#refunds,
      refund_count: this.#refunded,
      credits: this.#credits,
      debits: this.#debits,
      models: [...this.#models.values()].toSorted((a, b) => a.units - b.units),
      movements: this.#movements.toSorted((a, b) => a.created_at - b.created_at),
      omitted: this.#others - this.#movements.length,
    };
  }
}
