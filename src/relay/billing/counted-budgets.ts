/** The budgets that count a call, what it holds of their windows, and the refusal of a full one. */
import { type Context, nowSec } from '../../context.ts';
import {
  amountIn,
  type Budget,
  type BudgetSubject,
  type CallAmounts,
  type HeldWindow,
  type WindowAmount,
} from '../../domain/budgets/budget.ts';
import { END_OF_TIME_SEC } from '../../domain/budgets/window.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { priceText, usdOf } from '../../domain/pricing/quota-text.ts';
import { totalInput, totalOutput, type Usage } from '../../domain/pricing/usage.ts';
import { shortCount } from '../../services/billing/quota-short.ts';
import type { BudgetStanding, CountedBudget } from '../../services/cache/budget-cache.ts';
import type { Admitted } from '../call/admitted.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Reservation } from '../call/reservation.ts';

const NO_BUDGETS: readonly Budget[] = [];
/** Below this a client may wait for the next window. */
const SHORT_WAIT_SEC = 60;
const RESET_HEADER = 'x-gateway-budget-reset';

type Counting = Pick<Admitted, 'caller' | 'route'> & {
  readonly intent: Pick<Admitted['intent'], 'model'>;
};

export function budgetsOf(
  { budgets }: Ports<'budgets'>,
  { caller, intent: { model }, route: { channel } }: Counting,
): readonly Budget[] {
  if (budgets.isEmpty) return NO_BUDGETS;
  const { token, user, group } = caller;
  const subjects = {
    // Playground calls have no token.
    token: token.id === 0 ? undefined : String(token.id),
    user: String(user.id),
    group,
    channel: channel && String(channel.id),
    model,
  };
  return budgets.of(subjects, model);
}

/** Whether the reservation counts in exactly the budgets of this attempt. */
export function holdsBudgets(relay: Ports<'budgets'>, call: Admitted): boolean {
  const windows = windowsOf(call.reservation);
  const budgets = budgetsOf(relay, call);
  if (windows === undefined) return budgets.length === 0;
  return (
    windows.length === budgets.length &&
    budgets.every(({ id }) => windows.some(({ budgetId }) => budgetId === id))
  );
}

/** The windows in which a call counts; undefined if no budget counts it. */
export function windowsOf({
  hold,
  trusted,
}: Pick<Reservation, 'hold' | 'trusted'>): readonly HeldWindow[] | undefined {
  return trusted === undefined ? hold?.windows : trusted.windows;
}

/** What an answer uses of its account, and of windows that count tokens. */
export function usedBy(units: number, usage: Usage | undefined): CallAmounts {
  const tokens = usage === undefined ? 0 : totalInput(usage) + totalOutput(usage);
  return { units, tokens };
}

/** What an answer counts in the windows of its reservation. */
export function windowsToCharge(
  windows: readonly HeldWindow[] | undefined,
  used: CallAmounts,
): readonly WindowAmount[] | undefined {
  return windows?.map(({ budgetId, startsAtSec, measure }) => {
    return { budgetId, startsAtSec, amount: amountIn(measure, used) };
  });
}

/**
 * Refuses a call that a window cannot pay for whatever runs, without asking the database each time.
 * @throws AppError budget_exhausted, budget_busy, channels_full.
 */
export async function refuseFull(
  relay: Ports<'budgets' | 'ctx'>,
  counted: readonly CountedBudget[],
  amounts: CallAmounts,
  call: Counting,
): Promise<void> {
  for (const standing of await relay.budgets.recentStandings(counted)) {
    const { budget, limit, spent } = standing;
    const needed = amountIn(budget.measure, amounts);
    if (!budget.shadow && needed > 0 && spent >= limit)
      throw shortage(relay, standing, needed, call);
  }
}

/** @throws AppError as `refuseFull`. */
export async function refuseShort(
  relay: Ports<'budgets' | 'ctx'>,
  counted: readonly CountedBudget[],
  short: { readonly budgetId: number; readonly amounts: CallAmounts },
  call: Counting,
): Promise<never> {
  const own = counted.filter(({ budget }) => budget.id === short.budgetId);
  const [standing] = await relay.budgets.standings(own);
  if (standing === undefined) throw new AppError('budget_busy', {}, { retryAfterSec: 1 });
  throw shortage(relay, standing, amountIn(standing.budget.measure, short.amounts), call);
}

/** 429 where the call may fit soon, so that clients repeat it; a channel's budget moves the call. */
function shortage(
  { ctx }: Ports<'ctx'>,
  { budget, span, spent, held, limit }: BudgetStanding,
  needed: number,
  { caller: { group }, intent: { model } }: Counting,
): AppError {
  const untilResetSec = Math.max(1, span.endsAtSec - nowSec(ctx));
  const isHeld = spent + needed <= limit;
  const retryAfterSec = isHeld ? 1 : untilResetSec;
  if (budget.subject === 'channel')
    return new AppError('channels_full', { group, model }, { retryAfterSec });
  const resets = resetText(span.endsAtSec);
  const isOwn = OWN_SUBJECTS.has(budget.subject);
  const { subject, period: window } = budget;
  const used = isOwn ? usedText(ctx, budget, spent + held, limit) : '100 %';
  const params = { used, subject, window, resets_at: resets };
  const left = Math.max(0, limit - spent - held);
  const headers = isOwn ? standingHeaders(left, span.endsAtSec) : { [RESET_HEADER]: resets };
  const isSoon = isHeld || untilResetSec <= SHORT_WAIT_SEC;
  return isSoon
    ? new BudgetShortage('budget_busy', budget, params, { retryAfterSec, headers })
    : new BudgetShortage('budget_exhausted', budget, params, { headers });
}

function usedText(
  ctx: Pick<Context, 'options'>,
  { measure }: Budget,
  used: number,
  limit: number,
): string {
  const quotaPerUnit = ctx.options().get('QuotaPerUnit');
  const text = (amount: number) =>
    measure === 'units' ? priceText(usdOf(amount, quotaPerUnit)) : shortCount(amount);
  return `${text(used)} / ${text(limit)}`;
}

/** A refusal by a budget, which may name a model that answers instead. */
class BudgetShortage extends AppError {
  readonly budget: Budget;

  constructor(
    code: 'budget_exhausted' | 'budget_busy',
    budget: Budget,
    params: ConstructorParameters<typeof AppError>[1],
    options: ConstructorParameters<typeof AppError>[2],
  ) {
    super(code, params, options);
    this.budget = budget;
  }
}

/**
 * The call, with the model that the full budget names instead; undefined if there is none that the
 * caller may use.
 */
export function downgraded(call: Admitted, error: unknown): Admitted | undefined {
  if (!(error instanceof BudgetShortage) || error.budget.onFull !== 'downgrade') return undefined;
  const model = error.budget.downgradeModel;
  const { caller, intent, downgradedFrom = intent.model } = call;
  const { models } = caller.token;
  if (model === '' || model === intent.model || model === downgradedFrom) return undefined;
  if (models !== undefined && !models.has(model)) return undefined;
  return { ...call, intent: { ...intent, model }, downgradedFrom };
}

/** The caller's own budget of which the smallest share is left, for a client; undefined if none. */
export function budgetHeaders(
  { budgets, credit }: Ports<'budgets' | 'credit'>,
  reservation: Reservation,
): Record<string, string> | undefined {
  const windows = windowsOf(reservation);
  if (windows === undefined) return undefined;
  let tightest: { share: number; left: number; endsAtSec: number } | undefined;
  for (const { budget, limit, spent, held, span, atMs } of budgets.lastStandings(windows)) {
    if (budget.shadow || !OWN_SUBJECTS.has(budget.subject)) continue;
    const { trusted } = reservation;
    const own =
      trusted === undefined
        ? (windows.find(({ budgetId }) => budgetId === budget.id)?.amount ?? 0)
        : -credit.unusedOf(trusted, budget.measure, atMs);
    const left = Math.max(0, limit - spent - held - own);
    const share = left / Math.max(1, limit);
    if (tightest === undefined || share < tightest.share)
      tightest = { share, left, endsAtSec: span.endsAtSec };
  }
  return tightest && standingHeaders(tightest.left, tightest.endsAtSec);
}

/** What other budgets have left is not for callers. */
const OWN_SUBJECTS: ReadonlySet<BudgetSubject> = new Set(['token', 'user']);

function standingHeaders(left: number, endsAtSec: number): Record<string, string> {
  return {
    'x-gateway-budget-remaining': String(left),
    [RESET_HEADER]: resetText(endsAtSec),
  };
}

/** In UTC; `never` for a total budget. */
function resetText(endsAtSec: number): string {
  if (endsAtSec >= END_OF_TIME_SEC) return 'never';
  return new Date(endsAtSec * 1000).toISOString().replace('.000Z', 'Z');
}
