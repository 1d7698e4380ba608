/** The events that trigger notices. */
import { createHash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import type { Budget } from '../../../domain/budgets/budget.ts';
import type { Reason } from '../../../domain/logs/reasons.ts';
import { CHANNEL_STATUS } from '../../../domain/statuses.ts';
import { channelById } from '../../../store/tables/channels-table.ts';
import { quotaAmountText } from '../../logs/audit.ts';
import type { NotificationFacts } from './notification.ts';
import { notifySuperAdmins, notifyUser } from './send.ts';

/** The console promises at most one in two hours. */
const QUOTA_LIMIT = { count: 1, windowSec: 7_200 } as const;

/** Starts notifying users when a charge takes their balance below their threshold. */
export function notifyLowBalances(ctx: Context): void {
  ctx.ledger.onThresholdCrossed(({ userId, after }) => {
    notifyUser(ctx, userId, lowBalance(ctx, after), QUOTA_LIMIT);
  });
}

function lowBalance(ctx: Context, after: number): NotificationFacts {
  const wallet = `${ctx.options().get('ServerAddress')}/app/wallet`;
  const text = after > 0 ? 'quota_low' : 'quota_used_up';
  return { type: 'quota_exceed', text, values: [quotaAmountText(ctx, after), wallet] };
}

export interface ChannelStatusEvent {
  readonly channelId: number;
  /** Undefined when the channel was enabled. */
  readonly reason?: Reason;
}

/** Notifies of a channel that the gateway itself disabled or enabled. Call it after the commit. */
export function notifyChannelStatus(ctx: Context, { channelId, reason }: ChannelStatusEvent): void {
  const { enabled, auto_disabled } = CHANNEL_STATUS;
  const type = `channel_update_${channelId}_${reason === undefined ? enabled : auto_disabled}`;
  notifySuperAdmins(ctx, type, async (ctx) => {
    const channel = await channelById(ctx.reads, channelId);
    const name = `${channel?.name ?? ''} (#${channelId})`.trimStart();
    return reason === undefined
      ? { type, text: 'channel_enabled', values: [name] }
      : { type, text: 'channel_disabled', values: [name, reason] };
  });
}

/** Of an event that lasts. */
const DAILY = { count: 1, windowSec: 86_400 } as const;

/** Notifies of an enabled channel whose latest calls or tests failed. */
export function notifyFailingChannel(
  ctx: Context,
  { id, name }: { readonly id: number; readonly name: string },
): void {
  const type = `channel_failing_${id}`;
  const facts = { type, text: 'channel_failing', values: [`${name} (#${id})`] } as const;
  notifySuperAdmins(ctx, type, async () => facts, DAILY);
}

/** Notifies of models that lost their last working channel, or have one again; of none, not at all. */
export function notifyModels(
  ctx: Context,
  text: 'models_down' | 'models_back',
  models: readonly string[],
): void {
  if (models.length === 0) return;
  const type = `${text}_${shortHash(models.join('\n'))}`;
  const values = [String(models.length), listText(models)];
  notifySuperAdmins(ctx, type, async () => ({ type, text, values }));
}

export interface BudgetWarning {
  readonly budget: Pick<Budget, 'measure' | 'period'>;
  /** Of what the budget limits. */
  readonly name: string;
  /** The account; undefined for budgets of groups, channels, models and the site. */
  readonly ownerId: number | undefined;
  /** Of the limit that is spent. */
  readonly percent: number;
  /** Of the window and level. */
  readonly key: string;
}

/** Notifies the owner, or the super administrators, of a budget that reached a level. */
export function notifyBudget(ctx: Context, warning: BudgetWarning): void {
  const { budget, name, ownerId, percent, key } = warning;
  const type = `budget_${key}`;
  const text = percent >= 100 ? 'budget_full' : 'budget_near';
  const subject = name === '' ? siteName(ctx) : name;
  const values = [subject, { period: budget.period }, `${percent} %`];
  const facts = { type, text, values } as const;
  if (ownerId === undefined) notifySuperAdmins(ctx, type, async () => facts, DAILY);
  else notifyUser(ctx, ownerId, facts, DAILY);
}

function siteName(ctx: Context): string {
  return ctx.options().get('SystemName');
}

export interface TestRunSummary {
  readonly tested: number;
  readonly failed: number;
}

/** Notifies that a manually started test of all channels has ended. */
export function notifyTestRun(ctx: Context, { tested, failed }: TestRunSummary): void {
  const values = [String(tested), String(tested - failed), String(failed)];
  const type = 'channel_test';
  notifySuperAdmins(ctx, type, async () => ({ type, text: 'channels_tested', values }));
}

export interface PriceChanges {
  readonly text: 'prices_moved' | 'prices_taken';
  /** The price list. */
  readonly source: string;
  /** One line per model. */
  readonly lines: readonly string[];
}

/** A notification with all models would exceed what receivers accept. */
const MOST_LINES = 50;

function listText(lines: readonly string[]): string {
  const rest = lines.length > MOST_LINES ? [`... (+${lines.length - MOST_LINES})`] : [];
  return [...lines.slice(0, MOST_LINES), ...rest].join('\n');
}

/** Notifies of prices of served models that differ from those in force until now. */
export function notifyPriceChanges(ctx: Context, { text, source, lines }: PriceChanges): void {
  const values = [String(lines.length), source, listText(lines)];
  notifySuperAdmins(ctx, text, async () => ({ type: text, text, values }));
}

export interface SpendChange {
  /** Undefined for the whole site. */
  readonly userId: number | undefined;
  /** Of the last day, and per day before. */
  readonly spent: number;
  readonly usual: number;
}

/** Notifies the owner of an account, or of the site the super administrators, of unusual spending. */
export function notifyUnusualSpend(ctx: Context, { userId, spent, usual }: SpendChange): void {
  const type = 'spend_unusual';
  const address = `${ctx.options().get('ServerAddress')}/app/logs/api-usage?type=spend&from=24h`;
  const values = [quotaAmountText(ctx, spent), quotaAmountText(ctx, usual), address];
  if (userId !== undefined) notifyUser(ctx, userId, { type, text: type, values }, DAILY);
  else {
    const facts = { type: `site_${type}`, text: 'site_spend_unusual', values } as const;
    notifySuperAdmins(ctx, facts.type, async () => facts, DAILY);
  }
}

interface BalanceDifference {
  readonly table: string;
  readonly id: number;
  readonly column: string;
  readonly stored: number;
  readonly expected: number;
}

/** Notifies of balances that are not the sum of their ledger entries. */
export function notifyLedgerDifferences(
  ctx: Context,
  differences: readonly BalanceDifference[],
): void {
  const type = 'ledger_differs';
  const lines = differences.map(
    ({ table, id, column, stored, expected }) =>
      `${table} ${id} ${column}: ${stored} (${expected})`,
  );
  const values = [String(differences.length), listText(lines)];
  notifySuperAdmins(ctx, type, async () => ({ type, text: type, values }), DAILY);
}

export interface FailedPayment {
  readonly provider: string;
  readonly tradeNo: string;
  readonly reason: string | Reason;
}

/** Notifies of a payment that its provider confirmed and that no account was credited for. */
export function notifyFailedPayment(
  ctx: Context,
  { provider, tradeNo, reason }: FailedPayment,
): void {
  const type = `payment_failed_${shortHash(tradeNo)}`;
  const facts = { type, text: 'payment_failed', values: [tradeNo, provider, reason] } as const;
  notifySuperAdmins(ctx, type, async () => facts, DAILY);
}

/** Of the parts of a type that may be long. */
function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
