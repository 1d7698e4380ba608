/** Tags: group channels that are enabled, disabled, prioritized and edited together. */
import * as z from 'zod/mini';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { call } from '../call.ts';
import { Impact, PlainLine, Warnings } from '../fields.ts';
import { channelFields } from './channel-fields.ts';

export const Tag = z
  .string()
  .check(z.trim(), z.minLength(1), z.maxLength(CHANNEL.tag.most), PlainLine);

/** Empty text means the same as an absent field: keep the current value. */
function orKeep<T extends z.ZodMiniType>(field: T) {
  return z.optional(z.union([z.literal(''), z.null(), field]));
}

/** Number of channels with the tag. */
const Count = z.int();

export const channelTagCalls = {
  edit: call.admin('PUT /api/channel/tag', {
    summary: 'Changes the given fields of all channels of a tag',
    input: z.object({
      tag: Tag,
      new_tag: orKeep(Tag),
      models: orKeep(channelFields.models),
      groups: orKeep(channelFields.group),
      model_mapping: orKeep(channelFields.model_mapping),
      priority: z.optional(z.union([z.null(), channelFields.priority])),
      weight: z.optional(z.union([z.null(), channelFields.weight])),
      impact: Impact,
    }),
    reply: z.object({ count: Count, warnings: Warnings }),
  }),
  enable: call.admin('POST /api/channel/tag/enabled', {
    summary: 'Enables all channels of a tag with all their keys',
    input: z.object({ tag: Tag }),
    reply: Count,
  }),
  disable: call.admin('POST /api/channel/tag/disabled', {
    summary: 'Disables all channels of a tag',
    input: z.object({ tag: Tag, impact: Impact }),
    reply: Count,
  }),
};
