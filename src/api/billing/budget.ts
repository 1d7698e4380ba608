/** Budgets: what a token, user, group, channel, model or the site may use in a period. */
import * as z from 'zod/mini';
import {
  BUDGET_ANCHORS,
  BUDGET_FULL_ACTIONS,
  BUDGET_MEASURES,
  BUDGET_PERIODS,
  BUDGET_SUBJECTS,
} from '../../domain/budgets/budget.ts';
import { BUDGET_STATES } from '../../domain/budgets/budget-state.ts';
import { isTimeZone } from '../../domain/time-zones.ts';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { FilterText, PlainLine } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

const MAX_MODELS = 200;
const MAX_LEVELS = 10;

/** An amount in the measure of the budget. */
const Amount = z.int().check(z.positive(), z.maximum(Number.MAX_SAFE_INTEGER));
const ModelName = z.string().check(z.trim(), z.maxLength(191), PlainLine);
/** An IANA name; empty is UTC. */
const TimeZone = z
  .string()
  .check(z.trim(), z.maxLength(64), z.refine(isTimeZone, problemMessage('not_time_zone')));

/** An id or a name; empty for the site, and for a user's own account. */
const SubjectId = z.pipe(
  z.union([z.int(), z.string().check(z.trim(), z.maxLength(191), PlainLine)]),
  z.transform(String),
);

/** No edit changes these: the sums of the windows would not fit. */
const fixedFields = {
  subject: z.enum(BUDGET_SUBJECTS),
  subject_id: z._default(SubjectId, ''),
  measure: z._default(z.enum(BUDGET_MEASURES), 'units'),
};

/** What an edit may change. */
export const budgetFields = {
  /** Only calls of these models count; empty counts all. */
  models: z.array(ModelName.check(z.minLength(1))).check(z.maxLength(MAX_MODELS)),
  period: z.enum(BUDGET_PERIODS),
  /** Whether windows follow the calendar of the time zone, or begin with a call. */
  anchor: z.enum(BUDGET_ANCHORS),
  time_zone: TimeZone,
  limit_amount: Amount,
  /** Percent of the limit from which the budget is near its limit; 0 for none. */
  warn_at: z.int().check(z.nonnegative(), z.maximum(100)),
  /** Further percents of the limit of which the owner is notified. */
  notify_at: z.array(z.int().check(z.minimum(1), z.maximum(99))).check(z.maxLength(MAX_LEVELS)),
  on_full: z.enum(BUDGET_FULL_ACTIONS),
  /** Answers instead when the budget is full and `on_full` is `downgrade`. */
  downgrade_model: ModelName,
  /** Counts, and never refuses. */
  shadow: z.boolean(),
  /** 1 enabled, 2 disabled. */
  status: z.union([z.literal(1), z.literal(2)]),
};

export const BudgetReply = z.object({
  id: z.int(),
  subject: z.enum(BUDGET_SUBJECTS),
  subject_id: z.string(),
  /** The name of the token, user or channel; else as `subject_id`. */
  subject_name: z.string(),
  /** Of the owner of a token; otherwise empty. */
  username: z.string(),
  models: z.array(z.string()),
  measure: z.enum(BUDGET_MEASURES),
  period: z.enum(BUDGET_PERIODS),
  anchor: z.enum(BUDGET_ANCHORS),
  time_zone: z.string(),
  limit_amount: z.int(),
  warn_at: z.int(),
  notify_at: z.array(z.int()),
  on_full: z.enum(BUDGET_FULL_ACTIONS),
  downgrade_model: z.string(),
  /** Added to the limit until `raised_until`. */
  raised_amount: z.int(),
  raised_until: z.int(),
  shadow: z.boolean(),
  status: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  /** 0 for the operator. */
  created_by: z.int(),
  /** Whether the caller may change it. */
  is_editable: z.boolean(),
  /** Of the current window: `full` without anything left but what running calls hold. */
  state: z.enum(BUDGET_STATES),
  /** The current window, in epoch seconds; 0 before the first call of `first_use`. */
  starts_at: z.int(),
  /** 0 before the first call of `first_use`, and for a budget that never resets. */
  resets_at: z.int(),
  spent_amount: z.int(),
  /** Reserved by running calls. */
  held_amount: z.int(),
  left_amount: z.int(),
});

const BudgetList = z.extend(PageQuery, {
  subject: z.optional(z.enum([...BUDGET_SUBJECTS, ''])),
  subject_id: FilterText,
  state: z.optional(z.enum([...BUDGET_STATES, ''])),
  /** Part of the name of the subject, or of the owner of a token. */
  keyword: FilterText,
});

export const NewBudget = z.object({
  ...fixedFields,
  ...budgetFields,
  models: z._default(budgetFields.models, []),
  anchor: z._default(budgetFields.anchor, 'calendar'),
  time_zone: z._default(budgetFields.time_zone, ''),
  warn_at: z._default(budgetFields.warn_at, 80),
  notify_at: z._default(budgetFields.notify_at, []),
  on_full: z._default(budgetFields.on_full, 'refuse'),
  downgrade_model: z._default(budgetFields.downgrade_model, ''),
  shadow: z._default(budgetFields.shadow, false),
  status: z._default(budgetFields.status, 1),
});

const editable = Object.keys(budgetFields).map((name) => [name, true]);
const EDITABLE = Object.fromEntries(editable) as Record<keyof typeof budgetFields, true>; // its own keys

const BudgetEdit = z.extend(z.partial(z.object(budgetFields)), {
  id: Id,
  /** Previous values of the fields: if any differs by now, nothing is written. */
  before: z.optional(z.partial(z.pick(BudgetReply, EDITABLE))),
});

/** A window is the part of time whose use counts together. */
const BudgetWindow = z.object({
  starts_at: z.int(),
  /** 0 for a budget that never resets. */
  resets_at: z.int(),
  measure: z.enum(BUDGET_MEASURES),
  spent_amount: z.int(),
  held_amount: z.int(),
  is_current: z.boolean(),
});

export const budgetCalls = {
  list: call.user('GET /api/budget/', {
    summary: 'Lists budgets: those of the caller and their tokens, or all for administrators',
    input: BudgetList,
    reply: pageSchema(BudgetReply),
  }),
  listOwn: call.user('GET /api/budget/self', {
    summary: 'Lists the budgets of the caller and their tokens',
    input: BudgetList,
    reply: pageSchema(BudgetReply),
  }),
  get: call.user('GET /api/budget/:id', {
    summary: 'Shows a budget with its current window',
    input: ById,
    reply: BudgetReply,
  }),
  create: call.user('POST /api/budget/', {
    summary: 'Creates a budget',
    input: NewBudget,
    reply: BudgetReply,
  }),
  edit: call.user('PUT /api/budget/', {
    summary: 'Changes the given fields of a budget',
    input: BudgetEdit,
    reply: BudgetReply,
  }),
  raise: call.user('POST /api/budget/:id/raise', {
    summary: 'Adds an amount to the limit of a budget until a time; 0 ends that',
    input: z.object({
      id: Id,
      amount: z.int().check(z.nonnegative()),
      /** Epoch seconds, -1 for ever; absent until the end of the current window. */
      until: z.optional(z.int().check(z.minimum(-1))),
    }),
    reply: BudgetReply,
  }),
  remove: call.user('DELETE /api/budget/:id', {
    summary: 'Deletes a budget',
    input: ById,
  }),
  windows: call.user('GET /api/budget/:id/windows', {
    summary: 'Lists the windows of a budget, the latest first',
    input: z.extend(PageQuery, ById.shape),
    reply: pageSchema(BudgetWindow),
  }),
};
