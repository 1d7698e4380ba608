/** Statements of accounts: every change of the balance in a month, which adds up or is refused. */
import type * as z from 'zod/mini';
import type { Statement, statementCalls } from '../../api/billing/statement.ts';
import type { Actor, Service } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { usdText } from '../../domain/pricing/quota-text.ts';
import {
  daysOfMonth,
  localMonth,
  type StatementDay,
  statementDays,
} from '../../domain/statement.ts';
import { inSnapshot } from '../../store/connection/transaction.ts';
import { unitsOfUser } from '../../store/ledger/ledger-sums.ts';
import { daySumsOfUser, movementsOfUser, unitsSince } from '../../store/ledger/user-entries.ts';
import { userById } from '../../store/tables/users-table.ts';
import { requireReadable } from '../access/account-access.ts';
import { offsetsFor } from '../dashboard/local-hours.ts';
import { ownId } from '../logs/audit.ts';

type Calls = Service<typeof statementCalls, Context>;
type StatementView = z.input<typeof Statement>;
type MonthInput = Parameters<Calls['own']>[2];

/** Changes that a statement lists one by one. */
const MAX_MOVEMENTS = 500;

export const own: Calls['own'] = (ctx, actor, input) =>
  statementOf(ctx, actor, ownId(actor), input);

export const ofUser: Calls['ofUser'] = (ctx, actor, { id, ...input }) =>
  statementOf(ctx, actor, id, input);

export const ownCsv: Calls['ownCsv'] = async (ctx, actor, input) =>
  csv(ctx, await statementOf(ctx, actor, ownId(actor), input));

export const ofUserCsv: Calls['ofUserCsv'] = async (ctx, actor, { id, ...input }) =>
  csv(ctx, await statementOf(ctx, actor, id, input));

/**
 * Opening and closing balance come from the sums of the ledger, the days from its entries.
 * @throws AppError statement_differs if they do not add up, or if the balance is not the sum of its
 * entries.
 */
async function statementOf(
  ctx: Context,
  actor: Actor,
  userId: number,
  { month: asked, time_zone: zone = '' }: MonthInput,
): Promise<StatementView> {
  const timeZone = zone || ctx.config.timeZone;
  const offsetAt = offsetsFor({ time_zone: timeZone });
  const month = daysOfMonth(asked ?? localMonth(nowSec(ctx), offsetAt), offsetAt);
  const [fromSec = 0, toSec = 0] = [month.bounds.at(0), month.bounds.at(-1)];
  return inSnapshot(ctx, async (snapshot) => {
    const user = requireReadable(actor, await userById(snapshot, userId), String(userId));
    const total = await unitsOfUser(snapshot, userId);
    const opening = total - (await unitsSince(snapshot, userId, fromSec));
    const sums = await daySumsOfUser(snapshot, userId, month.bounds);
    const span = { fromSec, toSec };
    const movements = await movementsOfUser(snapshot, userId, span, MAX_MOVEMENTS);
    const { days, closing } = statementDays(month, { opening, sums, movements });
    const expected = total - (await unitsSince(snapshot, userId, toSec));
    if (closing !== expected || total !== user.quota)
      throw new AppError('statement_differs', { user: user.username });
    return {
      user_id: userId,
      username: user.username,
      month: month.month,
      time_zone: timeZone,
      from: fromSec,
      to: toSec,
      opening,
      closing,
      ...totalsOf(days),
      days,
    };
  });
}

function totalsOf(days: readonly StatementDay[]) {
  const sum = (read: (day: StatementDay) => number) =>
    days.reduce((total, day) => total + read(day), 0);
  return {
    charges: sum(({ charges }) => charges),
    calls: sum(({ calls }) => calls),
    refunds: sum(({ refunds }) => refunds),
    credits: sum(({ credits }) => credits),
    debits: sum(({ debits }) => debits),
  };
}

const CSV_COLUMNS = ['time', 'day', 'cause', 'model', 'entries', 'units', 'usd', 'balance'];

/** One line for each change, and for the charges and the refunds of a day by a model. */
async function* csv({ options }: Context, statement: StatementView): AsyncGenerator<string> {
  const { csvText } = await import('../logs/csv.ts');
  const quotaPerUnit = options().get('QuotaPerUnit');
  yield csvText([
    CSV_COLUMNS,
    ...linesOf(statement).map(({ at, day, cause, model, entries, units, balance }) => [
      at === undefined ? '' : new Date(at * 1000).toISOString(),
      day,
      cause,
      model,
      entries,
      units,
      units === undefined ? '' : usdText(units, quotaPerUnit, 6),
      balance,
    ]),
  ]);
}

interface Line {
  readonly at?: number;
  readonly day?: string;
  readonly cause: string;
  readonly model?: string;
  readonly entries?: number;
  readonly units?: number;
  /** After this line. */
  readonly balance?: number;
}

function linesOf({ from, to, opening, closing, days }: StatementView): Line[] {
  return [
    { at: from, cause: 'opening_balance', balance: opening },
    ...days.flatMap(linesOfDay),
    { at: to, cause: 'closing_balance', balance: closing },
  ];
}

function linesOfDay(day: StatementView['days'][number]): Line[] {
  const listed = day.movements.reduce((sum, { units }) => sum + units, 0);
  const lines: Line[] = [
    ...day.movements.map(({ cause, created_at, units }) => {
      return { at: created_at, cause, entries: 1, units };
    }),
    ...(day.omitted === 0
      ? []
      : [{ cause: 'other', entries: day.omitted, units: day.credits + day.debits - listed }]),
    ...day.models.map(({ model, calls, units }) => {
      return { cause: 'charge', model, entries: calls, units };
    }),
    ...day.refund_models.map((refunds) => ({ cause: 'refund', ...refunds })),
  ];
  return lines.map((line, index) => ({
    ...line,
    day: day.day,
    ...(index === lines.length - 1 && { balance: day.closing }),
  }));
}
