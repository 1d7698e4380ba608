/** Single keys of a channel, as clients of this family of gateways manage them. */
import * as z from 'zod/mini';
import { call, Id } from '../call.ts';
import { Impact } from '../fields.ts';

export const KEY_ACTIONS = [
  'get_key_status',
  'enable_key',
  'disable_key',
  'delete_key',
  'enable_all_keys',
  'disable_all_keys',
  'delete_disabled_keys',
] as const;

const MOST_PER_PAGE = 100;

const KeyOfChannel = z.object({
  /** The place of the key among the keys of the channel, from 0. */
  index: z.int(),
  /** 1 enabled, 2 disabled, 3 auto-disabled. */
  status: z.int(),
  /** Epoch seconds; 0 if enabled. */
  disabled_time: z.int(),
  reason: z.string(),
  /** Its first and last characters. */
  key_preview: z.string(),
});

export const channelKeyCalls = {
  manage: call.admin('POST /api/channel/multi_key/manage', {
    summary: 'Lists, enables, disables or deletes single keys of a channel',
    input: z.object({
      channel_id: Id,
      action: z.enum(KEY_ACTIONS),
      /** For the actions on one key. */
      key_index: z.optional(z.int().check(z.nonnegative())),
      page: z._default(z.int().check(z.minimum(1)), 1),
      page_size: z._default(z.int().check(z.minimum(1), z.maximum(MOST_PER_PAGE)), 50),
      /** Lists only keys of this status. */
      status: z.optional(z.nullable(z.int())),
      impact: Impact,
    }),
    /** The keys after the action; the counts are of all keys. */
    reply: z.object({
      keys: z.array(KeyOfChannel),
      total: z.int(),
      page: z.int(),
      page_size: z.int(),
      total_pages: z.int(),
      enabled_count: z.int(),
      manual_disabled_count: z.int(),
      auto_disabled_count: z.int(),
    }),
  }),
};
