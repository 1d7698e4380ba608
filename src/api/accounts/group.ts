/** Groups: a name, a price factor for members, and whether users may choose it. */
import * as z from 'zod/mini';
import { call, PageQuery, pageSchema } from '../call.ts';
import { FilterText, Impact, Ratio } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

const GroupName = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(64),
    z.regex(/^[^,\p{C}]*$/u, problemMessage('has_commas')),
  );

export const Group = z.object({
  name: z.string(),
  /** Multiplies every price. */
  ratio: z.number(),
  /** Whether users may choose it for their tokens. */
  selectable: z.boolean(),
  label: z.string(),
  users: z.int(),
  channels: z.int(),
});

export const groupCalls = {
  names: call.admin('GET /api/group/', {
    summary: 'Lists the names of all groups',
    reply: z.array(z.string()),
  }),
  list: call.admin('GET /api/group/list', {
    summary: 'Lists groups with their ratio and members',
    input: z.extend(PageQuery, { keyword: FilterText }),
    reply: pageSchema(Group),
  }),
  set: call.admin('PUT /api/group/:name', {
    summary: 'Creates a group or changes the given fields',
    input: z.object({
      name: GroupName,
      ratio: z.optional(Ratio),
      selectable: z.optional(z.boolean()),
      label: z.optional(z.string().check(z.trim(), z.maxLength(100))),
    }),
    reply: Group,
  }),
  remove: call.admin('DELETE /api/group/:name', {
    summary: 'Deletes a group, also while it is in use',
    input: z.object({ name: GroupName, impact: Impact }),
  }),
};
