/** Calls on many channels at once: selected ones, or all disabled ones. */
import * as z from 'zod/mini';
import { call, Id } from '../call.ts';
import { Impact } from '../fields.ts';
import { channelFields } from './channel-fields.ts';
import { Tag } from './channel-tag.ts';

const Ids = z.array(Id).check(z.minLength(1), z.maxLength(1_000));

/** Reply of all calls here: the number of affected channels; unknown ids do not count. */
const Count = z.int();

export const channelBatchCalls = {
  remove: call.admin('POST /api/channel/batch', {
    summary: 'Deletes channels and their keys',
    input: z.object({ ids: Ids, impact: Impact }),
    reply: Count,
  }),
  setTag: call.admin('POST /api/channel/batch/tag', {
    summary: 'Sets the tag of channels, or removes it with null',
    input: z.object({ ids: Ids, tag: z.union([z.null(), Tag]) }),
    reply: Count,
  }),
  edit: call.admin('POST /api/channel/batch/edit', {
    summary: 'Changes status, priority or weight of channels',
    input: z.object({
      ids: Ids,
      status: z.optional(z.union([z.literal(1), z.literal(2)])),
      priority: z.optional(channelFields.priority),
      weight: z.optional(channelFields.weight),
      impact: Impact,
    }),
    reply: Count,
  }),
  removeDisabled: call.admin('DELETE /api/channel/disabled', {
    summary: 'Deletes all disabled channels, including automatically disabled ones',
    reply: Count,
  }),
};
