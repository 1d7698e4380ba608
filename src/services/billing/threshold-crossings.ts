/** Balances that one commit takes below the warning threshold of their users. */
import type { Operation, Outcome } from '../../store/ledger/ledger-operations.ts';

export interface ThresholdCrossing {
  readonly userId: number;
  /** Balance before and after the charges of one commit, in quota units. */
  readonly before: number;
  readonly after: number;
}

/**
 * Most charges leave the balance above the threshold, which takes one comparison to see. Below it,
 * the commit's total for the user shows whether this commit crossed it.
 */
export function crossingsIn(
  batch: readonly Operation[],
  outcomes: readonly Outcome[],
  balances: ReadonlyMap<number, number>,
): ThresholdCrossing[] {
  const crossings = new Map<number, ThresholdCrossing>();
  for (const [index, operation] of batch.entries()) {
    if (operation.kind !== 'close' || operation.charge === undefined) continue;
    const { warnBelow, charge } = operation;
    const after = balances.get(charge.userId);
    if (warnBelow === undefined || after === undefined || after >= warnBelow) continue;
    if (outcomes[index] !== 'done' || crossings.has(charge.userId)) continue;
    const before = after - balanceChangeOf(batch, outcomes, charge.userId);
    if (before >= warnBelow) crossings.set(charge.userId, { userId: charge.userId, before, after });
  }
  return [...crossings.values()];
}

function balanceChangeOf(
  batch: readonly Operation[],
  outcomes: readonly Outcome[],
  userId: number,
): number {
  let moved = 0;
  for (const [index, operation] of batch.entries())
    if (operation.kind === 'close' && operation.charge?.userId === userId)
      moved += outcomes[index] === 'done' ? operation.charge.userUnits : 0;
  return moved;
}
