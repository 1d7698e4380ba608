/** The ledger: every change of a balance, and the check that balances equal the sums of entries. */
import * as z from 'zod/mini';
import { LEDGER_ENTRY } from '../../domain/nouns/ledger-entry.ts';
import { call, PageQuery, pageSchema } from '../call.ts';
import { replyShape } from '../column-schemas.ts';
import { AnyObject, FilterInt, FilterText, Flag } from '../fields.ts';
import { Log } from '../logs/log.ts';

const LedgerRow = z.object(replyShape(LEDGER_ENTRY));

/** A call that ended without a response. */
export const FailedCall = z.object({
  request_id: z.string(),
  created_at: z.int(),
  user_id: z.int(),
  token_id: z.int(),
  token_name: z.string(),
  group: z.string(),
  model: z.string(),
  endpoint: z.string(),
  is_stream: z.boolean(),
  duration_ms: z.int(),
  /** HTTP status and code returned to the client; 0 when it had disconnected. */
  status: z.int(),
  code: z.string(),
  /** Where the error originated. */
  source: z.enum(['gateway', 'upstream', 'client']),
  /** Only for the gateway's own errors. */
  message: z.string(),
  outcome: z.enum(['refused', 'failed', 'client_left']),
  /** Why nothing was charged, as a sentence. */
  no_charge: z.string(),
});

const Difference = z.object({
  table: z.enum(['users', 'tokens', 'channels', 'budget_windows']),
  /** Of a window: the id of its budget. */
  id: z.int(),
  column: z.string(),
  /** The stored balance, and the sum of the ledger entries. */
  stored: z.int(),
  expected: z.int(),
});

export const ledgerCalls = {
  verify: call.admin('GET /api/ledger/verify', {
    summary:
      'Verifies that every balance and every window of a budget is the sum of its ledger entries',
    /** `full` reads every entry, otherwise those that were appended since they were last summed. */
    input: z.object({ full: z.optional(Flag) }),
    reply: z.object({
      ok: z.boolean(),
      checked: z.object({
        users: z.int(),
        tokens: z.int(),
        channels: z.int(),
        holds: z.int(),
        entries: z.int(),
      }),
      /** At most 100. */
      differences: z.array(Difference),
    }),
  }),
  list: call.admin('GET /api/ledger/', {
    summary: 'Lists ledger entries, newest first',
    input: z.extend(PageQuery, {
      user: FilterInt,
      token: FilterInt,
      channel: FilterInt,
      cause: FilterText,
    }),
    reply: pageSchema(LedgerRow),
  }),
  explain: call.user('GET /api/ledger/explain/:request_id', {
    summary:
      'Shows everything recorded about a request: log entries, ledger entries, open hold, failure, attempts, price; users see only their own requests, without channels',
    input: z.object({ request_id: z.string().check(z.minLength(1), z.maxLength(64)) }),
    reply: z.object({
      request_id: z.string(),
      logs: z.array(Log),
      ledger: z.array(LedgerRow),
      hold: z.nullable(
        z.object({
          user_id: z.int(),
          token_id: z.int(),
          user_units: z.int(),
          token_units: z.int(),
          node: z.string(),
          created_at: z.int(),
          expires_at: z.int(),
        }),
      ),
      /** Kept for `FailedCallDays`. */
      failure: z.nullable(FailedCall),
      /** Attempted channels, in order; empty for users. */
      attempts: z.array(AnyObject),
      /** The prices and factors used for the charge. */
      price: AnyObject,
    }),
  }),
};
