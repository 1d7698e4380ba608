/** Calls that query upstreams through their channels: for operators, never charged. */
import * as z from 'zod/mini';
import { ADDRESS_FORMS, OTHER_FIELDS } from '../../domain/channels/channel-form.ts';
import { RatesSchema } from '../../domain/pricing/rate-schema.ts';
import { ById, call, TextStream } from '../call.ts';
import { CommaList, Flag } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';
import { ChannelType, HeaderSafeText } from './channel-fields.ts';

export const ProbeResult = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  model: z.string(),
  success: z.boolean(),
  /** The error message; empty on success. */
  message: z.string(),
  /** HTTP status of the upstream; 0 when there was no response. */
  status_code: z.int(),
  /** Seconds, the same as `time_ms`. */
  time: z.number(),
  time_ms: z.int(),
  /** Milliseconds to the first content of a stream; 0 without streaming. */
  first_token_ms: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** The beginning of the model's response. */
  answer: z.string(),
});

/** A test of all channels: queued, running or finished. */
export const TestRun = z.object({
  id: z.int(),
  started_by: z.string(),
  /** Epoch milliseconds. */
  started_at_ms: z.int(),
  /** 0 while it runs. */
  ended_at_ms: z.int(),
  /** How many channels are tested, and how many are done so far. */
  channels: z.int(),
  done: z.int(),
  failed: z.int(),
});

const BalanceResult = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  success: z.boolean(),
  message: z.string(),
  balance: z.number(),
  /** USD, CNY or points. */
  currency: z.string(),
  /** The channel was disabled because no balance is left. */
  disabled: z.boolean(),
});

const Outcome = z.object({
  /** Epoch milliseconds. */
  at_ms: z.int(),
  /** `call` from a client, or `test`. */
  source: z.string(),
  ok: z.boolean(),
  /** HTTP status of the upstream; 0 when there was no response. */
  status: z.int(),
  latency_ms: z.int(),
  /** 0 when not streamed. */
  first_token_ms: z.int(),
  /** key, limit, request, server, timeout, network, answer or slow; empty on success. */
  error_class: z.string(),
  model: z.string(),
  message: z.string(),
});

const Health = z.object({
  channel_id: z.int(),
  /** At most 30, oldest first. */
  outcomes: z.array(Outcome),
});

/** Event stream of a test of all channels: one event per result, then `end` with the run. */
const TEST_STREAM_TYPE = 'text/event-stream';

export const channelProbeCalls = {
  test: call.admin('POST /api/channel/test/:id', {
    also: ['GET /api/channel/test/:id'],
    changesData: true,
    wire: 'flat',
    summary: 'Sends one small request to the upstream of a channel',
    input: z.extend(ById, {
      /** Default: the channel's test model, or its first model. */
      model: z.optional(z.string().check(z.trim(), z.maxLength(255))),
      stream: z._default(Flag, false),
      /** When absent or empty, derived from the model's name. */
      endpoint: z.optional(
        z.enum(['', 'chat', 'embeddings', 'images', 'speech', 'transcriptions', 'rerank']),
      ),
    }),
    reply: ProbeResult,
  }),
};

export const channelTestCalls = {
  begin: call.admin('POST /api/channel/test', {
    also: ['GET /api/channel/test'],
    changesData: true,
    summary: 'Starts a test of all channels in the background',
    reply: TestRun,
  }),
  stop: call.admin('POST /api/channel/test/stop', {
    summary: 'Stops the running test of all channels and keeps its results',
    /** False when no test was running. */
    reply: z.boolean(),
  }),
  stream: call.admin('GET /api/channel/test/stream', {
    wire: 'stream',
    contentType: TEST_STREAM_TYPE,
    summary: 'Streams the results of the running test of all channels, or returns the last ones',
    reply: TextStream,
  }),
};

export const channelBalanceCalls = {
  update: call.admin('POST /api/channel/update_balance/:id', {
    also: ['GET /api/channel/update_balance/:id'],
    changesData: true,
    wire: 'flat',
    summary: 'Reads the balance of a channel from its upstream',
    input: ById,
    reply: BalanceResult,
  }),
  updateAll: call.admin('POST /api/channel/update_balance', {
    also: ['GET /api/channel/update_balance'],
    changesData: true,
    summary: 'Reads the balances of all enabled channels whose providers report one',
    reply: z.object({
      /** False when the update took too long to wait for; the rest continues in the background. */
      finished: z.boolean(),
      results: z.array(BalanceResult),
    }),
  }),
};

const ChannelTypeFacts = z.object({
  type: z.int(),
  name: z.string(),
  slug: z.string(),
  /** Default base URL; empty when each channel must set its own. */
  base_url: z.string(),
  /** Whether this release can relay calls to it. */
  supported: z.boolean(),
  /** Input form of the base URL; `needed` when there is no usable default. */
  address: z.object({ form: z.enum(ADDRESS_FORMS), needed: z.boolean() }),
  key_optional: z.boolean(),
  /** The protocol determines the models, so the operator cannot choose them. */
  fixed_models: z.boolean(),
  models: z.array(z.string()),
  /** The provider's dialect. */
  dialect: z.string(),
  /** Model API endpoints; empty for task providers. */
  endpoints: z.array(z.string()),
  /** Description of the key's format; empty for a plain text. */
  key_form: z.string(),
  /** Meaning of the field `other`; empty when unused. */
  other: z.string(),
  /** Input form of `other`; null when unused. */
  other_field: z.nullable(
    z.object({
      is: z.enum(OTHER_FIELDS),
      needed: z.boolean(),
      /** The allowed values besides empty; an empty list allows any text. */
      choices: z.array(z.string()),
      example: z.string(),
    }),
  ),
  /** Formats of key and `other` that change the dialect. */
  variants: z.array(z.string()),
  tells_balance: z.boolean(),
  lists_models: z.boolean(),
  /** Requests of Anthropic's Messages API are passed through unchanged. */
  takes_messages: z.boolean(),
  note: z.string(),
});

export const channelModelCalls = {
  types: call.admin('GET /api/channel/types', {
    summary: 'Lists the channel types: default address, models, key formats and capabilities',
    reply: z.array(ChannelTypeFacts),
  }),
  compare: call.admin('POST /api/channel/:id/models', {
    summary: 'Compares the models of a channel with the list of its upstream',
    input: ById,
    reply: z.object({
      channel_id: z.int(),
      models: z.array(z.string()),
      /** Models that only the channel or only the upstream lists. */
      missing_upstream: z.array(z.string()),
      not_listed: z.array(z.string()),
      /** Models of the channel that their makers no longer sell, by the model catalogue. */
      retired: z.array(z.string()),
    }),
  }),
  prices: call.admin('GET /api/channel/:id/prices', {
    summary: 'Lists prices that the upstream publishes of models that have none here',
    input: ById,
    reply: z.object({
      /** The host of the upstream. */
      source: z.string(),
      items: z.array(
        z.object({
          /** The name at the upstream. */
          model: z.string(),
          rates: RatesSchema,
          /** Tokens of prompt and answer together. */
          context: z.optional(z.int()),
          output_limit: z.optional(z.int()),
        }),
      ),
    }),
  }),
  fetch: call.admin('GET /api/channel/fetch_models/:id', {
    summary: 'Reads the model list from the upstream of a channel',
    input: ById,
    reply: z.array(z.string()),
  }),
  fetchOf: call.admin('POST /api/channel/fetch_models', {
    failureStatus: 400,
    summary: 'Reads the model list from an upstream without a channel',
    input: z.object({
      /** Empty: the type's default. */
      base_url: z._default(z.union([z.string().check(z.trim(), z.maxLength(512)), z.null()]), ''),
      type: z._default(ChannelType, 1),
      /** If there are several, the first is used. */
      key: z._default(z.string().check(z.maxLength(1_000_000), HeaderSafeText), ''),
      other: z._default(z.string().check(z.maxLength(20_000)), ''),
    }),
    reply: z.array(z.string()),
  }),
  catalogue: call.admin('GET /api/channel/models', {
    summary: 'Lists all known models, with or without a channel',
    reply: z.array(
      z.object({
        id: z.string(),
        object: z.string(),
        created: z.int(),
        owned_by: z.string(),
      }),
    ),
  }),
  retired: call.admin('GET /api/channel/retired_models', {
    summary: 'Lists models that their makers no longer sell, by the model catalogue',
    reply: z.array(z.string()),
  }),
};

export const channelHealthCalls = {
  one: call.admin('GET /api/channel/:id/health', {
    summary: 'Shows the outcomes of the latest calls and tests of a channel',
    input: ById,
    reply: Health,
  }),
  many: call.admin('GET /api/channel/health', {
    summary: 'Shows the outcomes of the latest calls and tests of several channels',
    input: z.object({
      /** At most 100, separated by commas. */
      ids: CommaList.check(
        z.minLength(1),
        z.refine((ids) => ids.split(',').length <= 100, problemMessage('too_many', { most: 100 })),
        z.refine(
          (ids) => ids.split(',').every((id) => /^\d{1,15}$/.test(id)),
          problemMessage('not_ids'),
        ),
      ),
    }),
    reply: z.array(Health),
  }),
};
