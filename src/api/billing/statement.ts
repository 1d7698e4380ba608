/** Statements: what changed the balance of an account in a month. */
import * as z from 'zod/mini';
import { isTimeZone } from '../../domain/time-zones.ts';
import { CSV, call, Id } from '../call.ts';

const MonthInput = z.object({
  /** Default: the current month. */
  month: z.optional(z.string().check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/))),
  /** Whose days are meant, such as `Europe/Berlin`. Default: that of the site. */
  time_zone: z.optional(z.string().check(z.refine(isTimeZone))),
});

const MonthOfUser = z.extend(MonthInput, { id: Id });

/** Units are signed, as the balance sees them. */
const StatementDay = z.object({
  /** Such as `2026-11-21`. */
  day: z.string(),
  /** Epoch seconds; the end is excluded. */
  from: z.int(),
  to: z.int(),
  charges: z.int(),
  calls: z.int(),
  refunds: z.int(),
  /** How many. */
  refund_count: z.int(),
  /** Changes that are neither charges nor refunds of calls, by their sign. */
  credits: z.int(),
  debits: z.int(),
  /** At the end of the day. */
  closing: z.int(),
  /** The charges by model, largest first, and the refunds; '' where none is recorded. */
  models: z.array(z.object({ model: z.string(), calls: z.int(), units: z.int() })),
  refund_models: z.array(z.object({ model: z.string(), entries: z.int(), units: z.int() })),
  /** Each other change, oldest first. */
  movements: z.array(z.object({ cause: z.string(), created_at: z.int(), units: z.int() })),
  /** How many further ones the sums contain: a statement lists at most 500. */
  omitted: z.int(),
});

export const Statement = z.object({
  user_id: z.int(),
  username: z.string(),
  month: z.string(),
  time_zone: z.string(),
  /** Epoch seconds; the end is excluded. */
  from: z.int(),
  to: z.int(),
  /** The balance at the beginning and at the end of the month, or now. */
  opening: z.int(),
  closing: z.int(),
  charges: z.int(),
  calls: z.int(),
  refunds: z.int(),
  /** Changes that are neither charges nor refunds, by their sign. */
  credits: z.int(),
  debits: z.int(),
  /** The days on which the balance changed. */
  days: z.array(StatementDay),
});

export const statementCalls = {
  own: call.user('GET /api/user/self/statement', {
    summary: "Shows what changed the caller's balance in a month",
    input: MonthInput,
    reply: Statement,
  }),
  ownCsv: call.user('GET /api/user/self/statement.csv', {
    summary: "Returns the caller's statement of a month as CSV",
    input: MonthInput,
    ...CSV,
  }),
  ofUser: call.admin('GET /api/user/:id/statement', {
    summary: "Shows what changed a user's balance in a month",
    input: MonthOfUser,
    reply: Statement,
  }),
  ofUserCsv: call.admin('GET /api/user/:id/statement.csv', {
    summary: "Returns a user's statement of a month as CSV",
    input: MonthOfUser,
    ...CSV,
  }),
};
