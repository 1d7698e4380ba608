/** Statements: what changed the balance of an account in a month. */
import * as z from 'zod/mini';
import { StatementDay } from '../../domain/statement.ts';
import { isTimeZone } from '../../domain/time-zones.ts';
import { CSV, call, Id } from '../call.ts';

const MonthInput = z.object({
  /** Default: the current month. */
  month: z.optional(z.string().check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/))),
  /** Whose days are meant, such as `Europe/Berlin`. Default: that of the site. */
  time_zone: z.optional(z.string().check(z.refine(isTimeZone))),
});

const MonthOfUser = z.extend(MonthInput, { id: Id });

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
