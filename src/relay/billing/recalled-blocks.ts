/** Room in a window that blocks of other processes reserve and do not use. */
import { setTimeout as pause } from 'node:timers/promises';
import { amountIn, type CallAmounts } from '../../domain/budgets/budget.ts';
import type { CountedBudget } from '../../services/cache/budget-cache.ts';
import { RECALLED_MS } from '../../services/cache/credit-blocks.ts';
import { writing } from '../../services/cluster/announced-write.ts';
import { hasOtherBlocks } from '../../store/ledger/holds.ts';
import type { BudgetShort } from '../../store/ledger/ledger-operations.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import type { Ports } from '../call/relay-ports.ts';

/** Other processes read changes twice a second. */
const ANSWER_MS = 1_000;
const LOOK_EVERY_MS = 50;

/**
 * Asks other processes for what their blocks do not use of a window, and waits until the call fits.
 * False if that does not help.
 */
export async function recallBlocks(
  relay: Ports<'budgets' | 'credit' | 'ctx'>,
  short: string | BudgetShort,
  { counted }: { readonly counted: readonly CountedBudget[] },
  amounts: CallAmounts,
): Promise<boolean> {
  if (typeof short === 'string') return false;
  const { ctx, credit, budgets } = relay;
  const own = counted.filter(({ budget }) => budget.id === short.budgetShort);
  const [window] = own;
  if (window === undefined) return false;
  const { budget, span } = window;
  const sinceMs = credit.blocks.sinceRecallMs(budget.id);
  if (sinceMs >= RECALLED_MS) {
    const key = { budgetId: budget.id, startsAtSec: span.startsAtSec };
    if (!(await hasOtherBlocks(ctx.db, ctx.node, key))) return false;
    await writing(ctx, ({ db }) => announceChange(db, 'budget_blocks', budget.id));
  } else if (sinceMs > ANSWER_MS) return false;
  for (let waitedMs = 0; waitedMs <= ANSWER_MS; waitedMs += LOOK_EVERY_MS) {
    const [standing] = await budgets.standings(own);
    if (standing === undefined) return false;
    const needed = standing.spent + amountIn(budget.measure, amounts);
    if (needed > standing.limit) return false;
    if (needed + standing.held <= standing.limit) return true;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}
