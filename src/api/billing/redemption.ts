/** Redemption codes as managed by administrators. Users redeem them through the wallet. */
import * as z from 'zod/mini';
import { REDEMPTION, REDEMPTION_USE } from '../../domain/nouns/redemption.ts';
import { REDEMPTION_STATES } from '../../domain/redemption-state.ts';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { inputShape, newShape, replyShape } from '../column-schemas.ts';
import { FilterInt, FilterText, Flag, PlainLine, Quota } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

/** Maximum number of codes per call. */
export const MAX_CODES = 100;

const Name = z.string().check(z.trim(), z.maxLength(REDEMPTION.name.most), PlainLine);

const fields = inputShape(REDEMPTION, {
  name: Name.check(z.minLength(1)),
  quota: Quota.check(z.positive()),
});

/** Blank generates a key. */
const Key = z
  .string()
  .check(z.trim(), z.regex(/^(|[A-Za-z0-9_-]{6,64})$/, problemMessage('bad_code')));

export const Redemption = z.object({
  id: z.int(),
  /** Creator; 0 for the operator. */
  user_id: z.int(),
  ...replyShape(REDEMPTION),
  ...replyShape(REDEMPTION_USE),
  key: z.string(),
  /** 1 unused, 2 disabled, 3 used. */
  status: z.int(),
  /** As of now; an unused code can be `upcoming`, `expired`, or `used` if it is a gift without uses left. */
  state: z.enum(REDEMPTION_STATES),
  created_time: z.int(),
  /** Time of the last use; 0 when unused. */
  redeemed_time: z.int(),
  /** 0 means none; always 0 for gifts. */
  used_user_id: z.int(),
  used_count: z.int(),
});

const RedemptionList = z.extend(PageQuery, {
  /** An id, a complete key, or the beginning of a name. */
  keyword: FilterText,
  status: FilterInt,
  state: z.optional(z.enum([...REDEMPTION_STATES, ''])),
  is_gift: z.optional(Flag),
});

/** Empty and -1 mean no limit. */
const MaxUses = z.pipe(
  z.union([z.literal(''), z.null(), z.int().check(z.minimum(-1))]),
  z.transform((value) => (value === '' || value === null ? -1 : value)),
);

export const NewRedemptions = z.object({
  ...newShape(REDEMPTION, fields),
  ...newShape(REDEMPTION_USE, inputShape(REDEMPTION_USE, { max_uses: MaxUses })),
  /** Empty: the value, formatted. */
  name: z._default(Name, ''),
  /** Must be one if a key is given. */
  count: z._default(z.int().check(z.minimum(1), z.maximum(MAX_CODES)), 1),
  key: z._default(Key, ''),
});

/** With `status_only` only `status` is written, otherwise only the other fields sent. */
const RedemptionEdit = z.extend(z.partial(z.object(fields)), {
  id: Id,
  status: z.optional(z.int()),
  status_only: z.optional(Flag),
});

const Named = z.object({ name: z.string().check(z.trim(), z.minLength(1)) });
const Count = z.int();

const listRow = {
  input: RedemptionList,
  reply: pageSchema(Redemption),
} as const;

export const redemptionCalls = {
  list: call.admin('GET /api/redemption/', { ...listRow, summary: 'Lists redemption codes' }),
  search: call.admin('GET /api/redemption/search', {
    ...listRow,
    summary: 'Searches redemption codes',
  }),
  countByName: call.admin('GET /api/redemption/count-by-name', {
    summary: 'Counts the redemption codes with a name',
    input: Named,
    reply: Count,
  }),
  get: call.admin('GET /api/redemption/:id', {
    summary: 'Shows a redemption code',
    input: ById,
    reply: Redemption,
  }),
  create: call.admin('POST /api/redemption/', {
    summary: 'Creates redemption codes and returns them',
    input: NewRedemptions,
    reply: z.array(z.string()),
  }),
  edit: call.admin('PUT /api/redemption/', {
    summary: 'Changes the given fields of an unused redemption code, or enables or disables a code',
    input: RedemptionEdit,
    reply: Redemption,
    query: ['status_only'],
  }),
  batchDisable: call.admin('PUT /api/redemption/batch-disable', {
    summary: 'Disables unused redemption codes and returns their number',
    input: z.object({
      ids: z.array(Id).check(z.minLength(1), z.maxLength(1000)),
    }),
    reply: Count,
  }),
  removeByName: call.admin('DELETE /api/redemption/delete-by-name', {
    summary: 'Deletes all redemption codes with exactly this name and returns their number',
    input: Named,
    reply: Count,
  }),
  removeDisabled: call.admin('DELETE /api/redemption/delete-disabled', {
    summary: 'Deletes disabled redemption codes and returns their number',
    reply: Count,
  }),
  removeUsed: call.admin('DELETE /api/redemption/delete-used', {
    summary: 'Deletes used redemption codes and returns their number',
    reply: Count,
  }),
  remove: call.admin('DELETE /api/redemption/:id', {
    summary: 'Deletes a redemption code',
    input: ById,
  }),
};
