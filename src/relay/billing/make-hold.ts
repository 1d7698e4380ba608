/** Makes the hold of a call; the database decides whether the balance covers it. */
import { nowSec } from '../../context.ts';
import { amountIn, type CallAmounts } from '../../domain/budgets/budget.ts';
import { quotaShort } from '../../services/billing/quota-short.ts';
import type { CountedBudget } from '../../services/cache/budget-cache.ts';
import { heldWindows } from '../../services/cache/credit-block.ts';
import { freeQuota, type Spender } from '../../services/cache/free-quota.ts';
import { markExhausted, quotaOfToken } from '../../services/tokens/token-status.ts';
import {
  type BudgetShort,
  type HeldUnits,
  HOLD_LIFETIME_SEC,
  isShort,
} from '../../store/ledger/ledger-operations.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Caller } from '../call/caller.ts';
import type { Ports } from '../call/relay-ports.ts';
import { budgetsOf, refuseShort } from './counted-budgets.ts';
import { recallBlocks } from './recalled-blocks.ts';

export interface HoldRequest extends Pick<Admitted, 'caller' | 'route'> {
  readonly requestId: string;
  readonly intent: Pick<Admitted['intent'], 'model'>;
  /** The budgets in whose windows it counts. */
  readonly counted: readonly CountedBudget[];
}

export type Short = 'user_short' | 'token_short' | BudgetShort;

const NOTHING_COUNTED: readonly CountedBudget[] = [];

type Holding = Pick<Admitted, 'caller' | 'route' | 'incoming'> & Pick<HoldRequest, 'intent'>;

/** The request of a call, with the windows that run now. */
export async function holdRequest(relay: Ports<'budgets'>, call: Holding): Promise<HoldRequest> {
  const { caller, incoming, intent, route } = call;
  const budgets = budgetsOf(relay, call);
  const counted = budgets.length === 0 ? NOTHING_COUNTED : await relay.budgets.windowsOf(budgets);
  return { requestId: incoming.requestId, caller, route, intent, counted };
}

/**
 * Makes the hold; the database decides whether it is covered. Before a call is refused, blocks give
 * back what their calls do not need.
 */
export async function tryReserve(
  relay: Ports<'budgets' | 'credit' | 'ctx'>,
  request: HoldRequest,
  amounts: CallAmounts,
): Promise<HeldUnits | Short> {
  let reservation = await tryHold(relay, request, amounts);
  for (const makeRoom of [giveBackBlocks, recallBlocks]) {
    if (!isRefused(reservation)) break;
    const hasRoom = await makeRoom(relay, reservation, request, amounts);
    if (hasRoom) reservation = await tryHold(relay, request, amounts);
  }
  return reservation;
}

function giveBackBlocks(
  { credit }: Ports<'credit'>,
  short: Short,
  { caller }: HoldRequest,
): Promise<boolean> {
  return typeof short === 'string'
    ? credit.blocks.giveBackOf(caller.user.id)
    : credit.blocks.giveBackIn(short.budgetShort);
}

export function isRefused(reservation: HeldUnits | Short): reservation is Short {
  return typeof reservation === 'string' || 'budgetShort' in reservation;
}

async function tryHold(
  relay: Ports<'ctx'>,
  { requestId, caller, counted }: HoldRequest,
  amounts: CallAmounts,
): Promise<HeldUnits | Short> {
  const { units } = amounts;
  const hold = {
    userId: caller.user.id,
    tokenId: caller.token.id,
    userUnits: units,
    tokenUnits: caller.token.unlimited ? 0 : units,
    windows: heldWindows(counted, (measure) => amountIn(measure, amounts)),
  };
  const outcome = await relay.ctx.ledger.hold({
    kind: 'hold',
    requestId,
    ...hold,
    node: relay.ctx.node,
    createdAtSec: nowSec(relay.ctx),
    lifetimeSec: HOLD_LIFETIME_SEC,
  });
  return isShort(outcome) ? outcome : hold;
}

/** @throws AppError quota_short, token_quota_short, budget_exhausted, budget_busy. */
export async function holdAmounts(
  relay: Ports<'budgets' | 'credit' | 'ctx'>,
  request: HoldRequest,
  amounts: CallAmounts,
): Promise<HeldUnits> {
  const reservation = await tryReserve(relay, request, amounts);
  if (!isRefused(reservation)) return reservation;
  return refuse(relay, request, reservation, amounts);
}

export async function refuse(
  relay: Ports<'budgets' | 'ctx'>,
  request: HoldRequest,
  outcome: Short,
  amounts: CallAmounts,
): Promise<never> {
  const { caller, counted } = request;
  const { units } = amounts;
  if (typeof outcome === 'object')
    return refuseShort(relay, counted, { budgetId: outcome.budgetShort, amounts }, request);
  if (outcome === 'token_short') return refuseShortToken(relay, caller, units);
  const left = await freeQuota(relay.ctx.reads, { userId: caller.user.id, tokenId: 0 });
  throw quotaShort(relay.ctx, 'quota_short', { needed: units, left });
}

export function spenderOf({ token, user }: Caller): Spender {
  return { userId: user.id, tokenId: token.unlimited ? 0 : token.id };
}

async function refuseShortToken(
  relay: Ports<'ctx'>,
  { token }: Pick<Caller, 'token'>,
  needed: number,
): Promise<never> {
  const { remain, free } = await quotaOfToken(relay.ctx, token.id);
  token.remainView = remain;
  if (remain <= 0) await markExhausted(relay.ctx, token.id);
  throw quotaShort(relay.ctx, 'token_quota_short', { needed, left: free });
}

export function withHold<C extends Admitted>(
  call: C,
  hold: HeldUnits,
  allowedUnits: number | undefined,
): C {
  return { ...call, reservation: { hold, trusted: undefined, allowedUnits } };
}
