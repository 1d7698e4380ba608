/** Channels: upstream providers with their keys, models and groups. */

import * as z from 'zod/mini';
import { CHANNEL_HEALTHS } from '../../domain/channels/channel-health.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { ById, call, Id, PageQuery, pageSchema } from '../call.ts';
import { newShape, replyShape } from '../column-schemas.ts';
import {
  FilterGroup,
  FilterInt,
  FilterText,
  Flag,
  Impact,
  OwnPassword,
  PlainLine,
  Warnings,
} from '../fields.ts';
import { ChannelType, channelFields, KeyList } from './channel-fields.ts';

const ChannelKey = z.object({
  id: z.int(),
  position: z.int(),
  /** First and last characters of the key. */
  hint: z.string(),
  /** 1 enabled, 2 disabled, 3 auto-disabled. */
  status: z.int(),
  reason: z.string(),
  disabled_at: z.int(),
  /**
   * Cooldown requested by the upstream, until this time (epoch seconds, may be past), for this
   * model ('': all).
   */
  resting_until: z.int(),
  rest_model: z.string(),
  rest_reason: z.string(),
});

export const Channel = z.object({
  id: z.int(),
  ...replyShape(CHANNEL),
  /** 1 enabled, 2 manually disabled, 3 auto-disabled. */
  status: z.int(),
  /** Masked; in full for a super administrator. Separated by commas. */
  key: z.string(),
  keys: z.array(ChannelKey),
  /** JSON text: `status_reason`, `status_time`. */
  other_info: z.string(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds of the latest test, successful or not; 0 when untested. */
  response_time: z.int(),
  /** Whether the latest test succeeded; null when untested. */
  test_ok: z.nullable(z.boolean()),
  /**
   * `failing`: the latest test or the last three calls failed, since the last success. `off`: not
   * enabled. `unknown`: neither called nor tested.
   */
  health: z.enum(CHANNEL_HEALTHS),
  /** Epoch seconds of the first failure after the last success; 0 unless `failing`. */
  failing_since: z.int(),
  /** The latest call or test; null if there was none. */
  latest_outcome: z.nullable(
    z.object({ ok: z.boolean(), at_ms: z.int(), latency_ms: z.int(), message: z.string() }),
  ),
  /** As reported by the upstream, in `balance_currency`: USD, CNY or points. */
  balance: z.number(),
  balance_currency: z.string(),
  balance_updated_time: z.int(),
  used_quota: z.int(),
});

export const ChannelList = z.extend(PageQuery, {
  /** Id, part of the name or of the base URL, or a complete key. */
  keyword: FilterText,
  group: FilterGroup,
  model: FilterText,
  type: z.optional(z.union([z.literal(''), ChannelType])),
  status: FilterInt,
  tag: FilterText,
  /** Only channels without a tag. */
  untagged: z.optional(Flag),
  health: z.optional(z.enum([...CHANNEL_HEALTHS, ''])),
  /** Newest first instead of highest priority first. */
  id_sort: z.optional(Flag),
  /** `failing_since`: failing channels first, the oldest failure before the others. */
  sort: z.optional(z.enum(['id', 'priority', 'failing_since', ''])),
  /** Paginates by tag, each with all its channels; `total` counts tags. */
  tag_mode: z.optional(Flag),
});

export const NewChannel = z.object({
  ...newShape(CHANNEL, channelFields),
  key: KeyList,
  status: z._default(z.union([z.literal(1), z.literal(2)]), 1),
});

/** `batch` creates one channel per key, with a number appended to the name. */
const NewChannels = z.extend(NewChannel, {
  mode: z.optional(z.enum(['single', 'batch', 'multi_to_single'])),
});

/**
 * Writes exactly the fields sent. `key` lists all keys the channel should have, stored ones in full
 * or masked as returned; without it the keys are unchanged.
 */
export const ChannelEdit = z.extend(z.partial(z.object(channelFields)), {
  id: Id,
  key: z.optional(KeyList),
  /** 3 is accepted only if it is the current status, for clients that send back all fields. */
  status: z.optional(z.union([z.literal(1), z.literal(2), z.literal(3)])),
  /** Previous values of the fields: if any differs by now, nothing is written. */
  before: z.optional(z.partial(z.object(replyShape(CHANNEL)))),
  impact: Impact,
});

const listRow = {
  input: ChannelList,
  reply: pageSchema(Channel),
} as const;

export const channelCalls = {
  list: call.admin('GET /api/channel/', { ...listRow, summary: 'Lists channels' }),
  search: call.admin('GET /api/channel/search', { ...listRow, summary: 'Searches channels' }),
  get: call.admin('GET /api/channel/:id', {
    // POST variant, because a password must not appear in a URL.
    also: ['POST /api/channel/:id'],
    summary: 'Shows a channel, to super administrators with its keys',
    /** With `reveal: true` a missing proof is an error, else the keys are masked then. */
    input: z.extend(ById, { reveal: z.optional(Flag), password: OwnPassword }),
    reply: Channel,
  }),
  key: call.superAdmin('POST /api/channel/:id/key', {
    summary: 'Shows the keys of a channel',
    input: z.extend(ById, { password: OwnPassword }),
    reply: z.object({ key: z.string() }),
  }),
  create: call.admin('POST /api/channel/', {
    summary: 'Creates a channel, or with mode "batch" one channel per key',
    input: NewChannels,
    wrapper: 'channel',
    /** The first of several created channels; `ids` lists all. */
    reply: z.extend(Channel, { ids: z.optional(z.array(z.int())), warnings: Warnings }),
  }),
  edit: call.admin('PUT /api/channel/', {
    summary: 'Changes the given fields',
    input: ChannelEdit,
    reply: z.extend(Channel, { warnings: Warnings }),
  }),
  remove: call.admin('DELETE /api/channel/:id', {
    summary: 'Deletes a channel and its keys',
    input: z.extend(ById, { impact: Impact }),
  }),
  setStatus: call.admin('POST /api/channel/:id/status', {
    summary: 'Enables (1) a channel with all its keys, or disables (2) it',
    input: z.object({
      id: Id,
      status: z.union([z.literal(1), z.literal(2)]),
      reason: z.optional(z.string().check(z.trim(), z.maxLength(200))),
      impact: Impact,
    }),
    reply: Channel,
  }),
  wake: call.admin('POST /api/channel/:id/wake', {
    summary: 'Ends the cooldown of one key, or of all keys of a channel',
    input: z.extend(ById, { key_id: z.optional(Id) }),
    reply: Channel,
  }),
  copy: call.admin('POST /api/channel/:id/copy', {
    also: ['POST /api/channel/copy/:id'],
    summary: 'Copies a channel with its keys; the copy starts disabled',
    /** `suffix`: what the name of the copy adds to that of the channel. */
    input: z.extend(ById, {
      name: z.optional(channelFields.name),
      suffix: z.optional(z.string().check(z.maxLength(64), PlainLine)),
    }),
    query: ['suffix'],
    reply: Channel,
  }),
  fixAbilities: call.admin('POST /api/channel/fix', {
    summary: 'Rebuilds the index of channels by model and group',
    /** Rows of the rebuilt table. */
    reply: z.int(),
  }),
  modelsEnabled: call.admin('GET /api/channel/models_enabled', {
    summary: 'Lists the models that an enabled channel serves',
    reply: z.array(z.string()),
  }),
};
