/** Amounts that one hold reserves for many calls of an account, and how large such a block is. */
import {
  amountIn,
  BUDGET_MEASURES,
  type BudgetMeasure,
  type CallAmounts,
  type HeldWindow,
} from '../../domain/budgets/budget.ts';
import {
  type HeldUnits,
  HOLD_LIFETIME_SEC,
  type HoldOperation,
} from '../../store/ledger/ledger-operations.ts';
import type { BudgetStanding, CountedBudget } from './budget-cache.ts';
import type { Spender } from './free-quota.ts';

/** Share of the free balance that one block reserves. */
const BLOCK_SHARE = 0.2;
/** Share of what is free in a window, which other accounts and processes may use as well. */
const WINDOW_SHARE = 0.1;
/** All blocks and running calls take at most this share of what a window has not spent. */
const MOST_HELD = 0.5;
/** Largest share of a block for one call, so that others fit too. */
const CALL_SHARE = 0.25;
/** A block with windows is for at most so many calls like the one that opens it. */
const COUNTED_CALLS = 256;
/**
 * An account that calls less often, or whose calls spread over many nodes, gets a block of so few
 * calls that other nodes hardly miss it.
 */
const RARE_CALLS = 4;
/** Well before the block's hold would expire. */
const BLOCK_LIFETIME_MS = (HOLD_LIFETIME_SEC * 1000) / 6;

/** Amounts by measure; those that no window counts are unlimited. */
export type Sizes = Readonly<Record<BudgetMeasure, number>>;

export interface CreditBlock {
  /** The account and the budgets whose calls run on it. */
  readonly name: string;
  readonly counted: readonly CountedBudget[];
  readonly size: Sizes;
  readonly openedAtMs: number;
  /** From then on no call begins on it. */
  readonly endsAtMs: number;
  readonly keptIdleMs: number;
  /** As the database has it. */
  hold: HoldOperation;
  /** What calls in flight may use. */
  readonly inFlight: Record<BudgetMeasure, number>;
  /** What ended calls have used since the block was opened. */
  readonly spent: Record<BudgetMeasure, number>;
  usedAtMs: number;
  isRetired: boolean;
  isShrunk: boolean;
}

export function blockOf(
  hold: HoldOperation,
  own: Pick<CreditBlock, 'name' | 'counted' | 'size' | 'openedAtMs' | 'keptIdleMs'>,
): CreditBlock {
  return {
    ...own,
    hold,
    endsAtMs: blockEnd(own.counted, own.openedAtMs),
    inFlight: { units: 0, calls: 0, tokens: 0 },
    spent: { units: 0, calls: 0, tokens: 0 },
    usedAtMs: own.openedAtMs,
    isRetired: false,
    isShrunk: false,
  };
}

/** A window ends, and a limit that is raised for a time becomes lower. */
function blockEnd(counted: readonly CountedBudget[], openedAtMs: number): number {
  let endsAtMs = openedAtMs + BLOCK_LIFETIME_MS;
  for (const { budget, span } of counted) {
    endsAtMs = Math.min(endsAtMs, span.endsAtSec * 1000);
    const raisedUntilMs = budget.raisedUntilSec * 1000;
    if (raisedUntilMs > openedAtMs) endsAtMs = Math.min(endsAtMs, raisedUntilMs);
  }
  return endsAtMs;
}

/** Whether the block's hold names exactly these windows, under the same limits. */
export function isFor(block: CreditBlock, counted: readonly CountedBudget[]): boolean {
  return block.counted.every(({ budget, span }, at) => {
    const other = counted[at];
    return other?.budget === budget && other.span.startsAtSec === span.startsAtSec;
  });
}

/** Whether the block covers a further call, whatever its running calls will cost. */
export function covers({ inFlight, spent, size }: CreditBlock, call: CallAmounts): boolean {
  return (
    inFlight.units + spent.units + call.units <= size.units &&
    inFlight.tokens + spent.tokens + call.tokens <= size.tokens &&
    inFlight.calls + spent.calls < size.calls
  );
}

/** Undefined if a call is too large for a block. */
export function blockSize(
  free: number,
  standings: readonly BudgetStanding[],
  { call, isRare }: { readonly call: CallAmounts; readonly isRare: boolean },
): Sizes | undefined {
  const size = {
    units: Math.max(0, Math.floor(free * BLOCK_SHARE)),
    tokens: Infinity,
    calls: Infinity,
  };
  let most = isRare ? RARE_CALLS : Infinity;
  for (const { budget, limit, spent, held } of standings) {
    if (!isRare) most = COUNTED_CALLS;
    const share = Math.min(
      WINDOW_SHARE * (limit - spent - held),
      MOST_HELD * (limit - spent) - held,
    );
    const units = budget.shadow ? COUNTED_CALLS * amountIn(budget.measure, call) : share;
    size[budget.measure] = Math.min(size[budget.measure], Math.max(0, Math.floor(units)));
  }
  for (const measure of BUDGET_MEASURES) {
    if (size[measure] === Infinity) continue;
    const amount = amountIn(measure, call);
    if (amount > size[measure] * CALL_SHARE) return undefined;
    if (most !== Infinity) size[measure] = Math.min(size[measure], amount * most);
  }
  return size;
}

/** What the windows of a hold reserve. */
export function heldWindows(
  counted: readonly CountedBudget[],
  amount: (measure: BudgetMeasure) => number,
): readonly HeldWindow[] | undefined {
  if (counted.length === 0) return undefined;
  return counted.map(({ budget: { id, measure }, span: { startsAtSec } }) => {
    return { budgetId: id, startsAtSec, measure, amount: amount(measure) };
  });
}

/** What a hold of these amounts reserves. */
export function heldOf(
  { userId, tokenId }: Spender,
  counted: readonly CountedBudget[],
  amounts: Sizes,
): HeldUnits {
  const { units } = amounts;
  const windows = heldWindows(counted, (measure) => amounts[measure]);
  return { userId, tokenId, userUnits: units, tokenUnits: tokenId === 0 ? 0 : units, windows };
}

/** Blocks by the user and by the budgets whose amounts they reserve. */
export class BlockIndex {
  readonly #blocks = new Set<CreditBlock>();
  readonly #lists = new Map<string, Set<CreditBlock>>();

  add(block: CreditBlock): void {
    this.#blocks.add(block);
    for (const name of namesOf(block)) {
      const list = this.#lists.get(name) ?? new Set();
      this.#lists.set(name, list.add(block));
    }
  }

  /** False if it was not there. */
  delete(block: CreditBlock): boolean {
    for (const name of namesOf(block)) {
      const list = this.#lists.get(name);
      list?.delete(block);
      if (list?.size === 0) this.#lists.delete(name);
    }
    return this.#blocks.delete(block);
  }

  /** By `nameOfUser` or `nameOfBudget`. */
  named(name: string): readonly CreditBlock[] {
    return [...(this.#lists.get(name) ?? [])];
  }

  budgetIds(): readonly number[] {
    return [...new Set([...this.#blocks].flatMap(({ counted }) => counted.map(idOf)))];
  }
}

export function nameOfUser(id: number): string {
  return `user:${id}`;
}

export function nameOfBudget(id: number): string {
  return `budget:${id}`;
}

function namesOf({ hold, counted }: CreditBlock): string[] {
  return [nameOfUser(hold.userId), ...counted.map((one) => nameOfBudget(idOf(one)))];
}

function idOf({ budget }: CountedBudget): number {
  return budget.id;
}
