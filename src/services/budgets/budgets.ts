/**
 * Management of budgets. All budgets of a call must fit, so a further one can only tighten: users
 * may limit their own account and API tokens, and see what administrators have limited.
 */
import type { budgetCalls } from '../../api/billing/budget.ts';
import { type Actor, pageWindow, type Service, toPage } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { END_OF_TIME_SEC } from '../../domain/budgets/window.ts';
import { definedFields } from '../../domain/defined-fields.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { checkAll, invalidInput } from '../../domain/errors/input-problems.ts';
import type { EventCode } from '../../domain/logs/events.ts';
import { servedModels } from '../../store/tables/abilities-table.ts';
import {
  budgetById,
  countBudgetsOf,
  deleteBudgets,
  insertBudget,
  lockBudget,
  pageOfBudgets,
  pageOfBudgetWindows,
  updateBudget,
} from '../../store/tables/budget-records.ts';
import { type BudgetRow, budgetOf } from '../../store/tables/budgets-table.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import { isTokenOwner } from '../access/token-owners.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { recordAction } from '../logs/audit.ts';
import {
  listedAccounts,
  lockSubject,
  mayEdit,
  maySee,
  type Subject,
  subjectsOf,
} from './budget-subjects.ts';
import { budgetViews, currentWindows, resetTime } from './budget-views.ts';

type Calls = Service<typeof budgetCalls, Context>;

/** A call reserves in all budgets of its token, account, group, channel and model. */
const MAX_BUDGETS_PER_SUBJECT = 20;

export const list: Calls['list'] = (ctx, actor, input) => listed(ctx, actor, input, false);

export const listOwn: Calls['listOwn'] = (ctx, actor, input) => listed(ctx, actor, input, true);

async function listed(
  ctx: Context,
  actor: Actor,
  { subject, subject_id, state, keyword, ...query }: Parameters<Calls['list']>[2],
  onlyOwn: boolean,
) {
  const window = pageWindow(query);
  const filter = {
    subject: subject || undefined,
    subjectId: subject_id,
    state: state || undefined,
    keyword,
    ...(await listedAccounts(ctx, actor, onlyOwn)),
  };
  const { rows, total } = await pageOfBudgets(ctx.reads, filter, window, nowSec(ctx));
  return toPage(window, await budgetViews(ctx, actor, rows), total);
}

export const get: Calls['get'] = async (ctx, actor, { id }) =>
  viewOf(ctx, actor, (await requireSeen(ctx, actor, await budgetById(ctx.reads, id), id)).budget);

export const windows: Calls['windows'] = async (ctx, actor, { id, ...query }) => {
  const { budget } = await requireSeen(ctx, actor, await budgetById(ctx.reads, id), id);
  const window = pageWindow(query);
  const { rows, total } = await pageOfBudgetWindows(ctx.reads, id, window);
  const current = (await currentWindows(ctx, [budget]))(budgetOf(budget));
  const items = rows.map((row) => ({
    starts_at: row.starts_at,
    resets_at: resetTime(row.ends_at),
    measure: budget.measure,
    spent_amount: row.spent,
    held_amount: row.held,
    is_current: row.starts_at === current.startsAtSec,
  }));
  return toPage(window, items, total);
};

/** @throws AppError budget_limit, input_invalid, and those of `lockSubject`. */
export const create: Calls['create'] = async (
  ctx,
  actor,
  { subject, models, notify_at, ...input },
) => {
  await checkFields(ctx, { ...input, models });
  return writing(ctx, async (ctx) => {
    const { subject_id, owner } = await lockSubject(ctx, actor, {
      subject,
      subject_id: input.subject_id,
    });
    if ((await countBudgetsOf(ctx.db, subject, subject_id)) >= MAX_BUDGETS_PER_SUBJECT)
      throw new AppError('budget_limit', { most: MAX_BUDGETS_PER_SUBJECT });
    const now = nowSec(ctx);
    const row = {
      ...input,
      subject,
      subject_id,
      models: JSON.stringify(models),
      notify_at: JSON.stringify(notify_at),
      downgrade_model: input.on_full === 'downgrade' ? input.downgrade_model : '',
      raised_amount: 0,
      raised_until: 0,
      created_at: now,
      updated_at: now,
      created_by: actor.kind === 'user' ? actor.id : 0,
    };
    const id = await insertBudget(ctx.db, row);
    await announceChange(ctx.db, 'budgets', id);
    const budget = { ...row, id };
    const { name } = (await subjectsOf(ctx, [row]))(row);
    await record(ctx, actor, 'budget_created', budget, { name, owner });
    return viewOf(ctx, actor, budget);
  });
};

/** @throws AppError changed_meanwhile, and those of `lockEditable` and of the fields. */
export const edit: Calls['edit'] = (ctx, actor, { id, before, ...sent }) =>
  writing(ctx, async (ctx) => {
    const { budget, subject } = await lockEditable(ctx, actor, id);
    requireUnchanged(budget, subject, before ?? {});
    const { models, notify_at, ...fields } = definedFields(sent);
    const after = { ...budget, ...fields };
    await checkFields(ctx, { ...after, models: models ?? [] });
    await saveFields(ctx, id, {
      ...fields,
      ...(models && { models: JSON.stringify(models) }),
      ...(notify_at && { notify_at: JSON.stringify(notify_at) }),
      downgrade_model: after.on_full === 'downgrade' ? after.downgrade_model : '',
    });
    await record(ctx, actor, 'budget_changed', budget, subject);
    return viewOf(ctx, actor, await budgetById(ctx.db, id));
  });

/** @throws AppError input_invalid without a time where no window is open. */
export const raise: Calls['raise'] = (ctx, actor, { id, amount, until }) =>
  writing(ctx, async (ctx) => {
    const { budget, subject } = await lockEditable(ctx, actor, id);
    const now = nowSec(ctx);
    const windowOf = await currentWindows(ctx, [budget]);
    const end = until ?? windowOf(budgetOf(budget)).endsAtSec;
    if (amount > 0 && end === 0) throw invalidInput('until', 'time_missing');
    const endSec = end === -1 ? END_OF_TIME_SEC : end;
    if (amount > 0 && endSec <= now) throw invalidInput('until', 'not_in_future');
    await saveFields(ctx, id, { raised_amount: amount, raised_until: amount > 0 ? endSec : 0 });
    await record(ctx, actor, 'budget_raised', budget, subject);
    return viewOf(ctx, actor, await budgetById(ctx.db, id));
  });

export const remove: Calls['remove'] = (ctx, actor, { id }) =>
  writing(ctx, async (ctx) => {
    const { budget, subject } = await lockEditable(ctx, actor, id);
    await deleteBudgets(ctx.db, [id]);
    await announceChange(ctx.db, 'budgets', id);
    await record(ctx, actor, 'budget_deleted', budget, subject);
  });

async function viewOf(ctx: Context, actor: Actor, budget: BudgetRow | undefined) {
  const [view] = await budgetViews(ctx, actor, budget === undefined ? [] : [budget]);
  if (view === undefined) throw new AppError('internal');
  return view;
}

interface Found {
  readonly budget: BudgetRow;
  readonly subject: Subject;
}

/** @throws AppError budget_missing also for a budget that the actor may not see. */
async function requireSeen(
  ctx: Context,
  actor: Actor,
  budget: BudgetRow | undefined,
  id: number,
): Promise<Found> {
  const subject = budget && (await subjectsOf(ctx, [budget]))(budget);
  if (budget === undefined || subject === undefined || !maySee(actor, subject))
    throw new AppError('budget_missing', { budget: id });
  return { budget, subject };
}

/** @throws AppError budget_missing, permission_denied. */
async function lockEditable(ctx: TxContext, actor: Actor, id: number): Promise<Found> {
  const found = await requireSeen(ctx, actor, await lockBudget(ctx.db, id), id);
  if (!mayEdit(actor, found.subject, found.budget.created_by))
    throw new AppError('permission_denied');
  return found;
}

async function saveFields(
  ctx: TxContext,
  id: number,
  fields: Partial<Omit<BudgetRow, 'id'>>,
): Promise<void> {
  await updateBudget(ctx.db, id, { ...fields, updated_at: nowSec(ctx) });
  await announceChange(ctx.db, 'budgets', id);
}

function requireUnchanged(
  budget: BudgetRow,
  { name }: Subject,
  before: Readonly<Record<string, unknown>>,
): void {
  const { models, notifyAt: notify_at } = budgetOf(budget);
  const now: Readonly<Record<string, unknown>> = { ...budget, models, notify_at };
  const isChanged = Object.entries(before).some(
    ([field, value]) => JSON.stringify(now[field]) !== JSON.stringify(value),
  );
  if (isChanged) throw new AppError('changed_meanwhile', { what: name });
}

interface CheckedFields {
  readonly models: readonly string[];
  readonly on_full: BudgetRow['on_full'];
  readonly downgrade_model: string;
}

/** A name with a pattern must be one that a channel lists; others may be served later. */
async function checkFields(
  ctx: Context,
  { models, on_full, downgrade_model }: CheckedFields,
): Promise<void> {
  const patterns = [...models, downgrade_model].some((name) => name.includes('*'));
  const served = new Set(patterns ? await servedModels(ctx.reads) : []);
  const require = (field: string, name: string) => {
    if (name.includes('*') && !served.has(name))
      throw invalidInput(field, 'model_unserved', { model: name });
  };
  await checkAll(
    ...models.map((name) => () => require('models', name)),
    () => require('downgrade_model', downgrade_model),
    () => {
      if (on_full === 'downgrade' && downgrade_model === '')
        throw invalidInput('downgrade_model', 'empty');
    },
  );
}

function record(
  ctx: TxContext,
  actor: Actor,
  event: Extract<EventCode, `budget_${string}`>,
  { id, subject, subject_id }: BudgetRow,
  { name, owner }: Subject,
): Promise<void> | undefined {
  if (owner !== undefined && isTokenOwner(actor, owner.id)) return undefined;
  return recordAction(ctx, actor, {
    action: event,
    event: { event, params: { id, name: { kind: subject, name } } },
    ...(owner !== undefined && { user: owner }),
    facts: { budget_id: id, subject, subject_id },
  });
}
