/** Channels: upstream providers with their keys, models and groups. */
import * as z from 'zod/mini';
import { channelTypeOf } from '../domain/channel-types.ts';
import { ById, call, Id, Nothing, PageQuery, pageOf } from './call.ts';
import { CommaList, FilterInt, FilterText, Flag, JsonObjectText } from './fields.ts';

/** A type number or its slug, e.g. 43 or `deepseek`. */
export const ChannelType = z.pipe(
  z.union([z.number(), z.string()]),
  z.transform((value, payload): number => {
    const type = channelTypeOf(value);
    if (type !== undefined) return type.type;
    payload.issues.push({ code: 'custom', message: 'is no channel type', input: value });
    return z.NEVER;
  }),
);

const BaseUrl = z.pipe(
  z.union([z.string(), z.null()]),
  z.transform((value, payload): string => {
    const text = (value ?? '').trim().replace(/\/+$/u, '');
    if (text === '' || (/^https?:\/\/[^/]/u.test(text) && URL.canParse(text))) return text;
    payload.issues.push({ code: 'custom', message: 'must be an http(s) URL', input: value });
    return z.NEVER;
  }),
);

/** Null and empty say the same: not set. */
const Text = (length: number) =>
  z.pipe(
    z.union([z.string().check(z.maxLength(length)), z.null()]),
    z.transform((value) => (value ?? '').trim()),
  );

const LONGEST_MODEL_NAME = 255;

const NonEmptyList = CommaList.check(z.minLength(1, 'must not be empty'));
const ModelList = NonEmptyList.check(
  z.refine(
    (models) => models.split(',').every((model) => model.length <= LONGEST_MODEL_NAME),
    `a model name has at most ${LONGEST_MODEL_NAME} characters`,
  ),
);

const fields = {
  name: z.string().check(z.trim(), z.minLength(1, 'must not be empty'), z.maxLength(191)),
  type: ChannelType,
  base_url: BaseUrl.check(z.maxLength(512)),
  /** API version, region, account id: what the type needs besides. */
  other: Text(20_000),
  openai_organization: Text(191),
  models: ModelList,
  group: NonEmptyList,
  model_mapping: JsonObjectText,
  status_code_mapping: JsonObjectText.check(z.maxLength(1024, 'at most 1024 characters')),
  setting: JsonObjectText,
  param_override: JsonObjectText,
  system_prompt: Text(100_000),
  test_model: Text(LONGEST_MODEL_NAME),
  auto_ban: z.union([z.literal(0), z.literal(1)]),
  priority: z.int().check(z.minimum(-999), z.maximum(1_000_000_000)),
  weight: z.int().check(z.nonnegative(), z.maximum(1_000_000)),
  tag: Text(64),
  model_prefix: Text(64),
};

/** One key, or several split at commas and line breaks; a JSON key stays whole. */
const Key = z.string().check(
  z.refine((key) => key.trim() !== '', 'must not be empty'),
  z.maxLength(1_000_000),
);

export const ChannelKey = z.object({
  id: z.int(),
  position: z.int(),
  /** First and last characters. */
  hint: z.string(),
  /** 1 enabled, 3 auto-disabled. */
  status: z.int(),
  reason: z.string(),
  disabled_at: z.int(),
});

export const Channel = z.object({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  /** 1 enabled, 2 disabled by hand, 3 auto-disabled. */
  status: z.int(),
  /** Masked; whole only when revealed to whoever may see it. Several are joined by line breaks. */
  key: z.string(),
  keys: z.array(ChannelKey),
  base_url: z.string(),
  other: z.string(),
  openai_organization: z.string(),
  models: z.string(),
  group: z.string(),
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  setting: z.string(),
  param_override: z.string(),
  system_prompt: z.string(),
  test_model: z.string(),
  auto_ban: z.int(),
  priority: z.int(),
  weight: z.int(),
  tag: z.string(),
  model_prefix: z.string(),
  /** JSON text: `status_reason`, `status_time`. */
  other_info: z.string(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds; 0 untested. */
  response_time: z.int(),
  /** USD, as the upstream reports it. */
  balance: z.number(),
  balance_updated_time: z.int(),
  used_quota: z.int(),
});

export const ChannelList = z.extend(PageQuery, {
  /** Id, part of the name, or a whole key. */
  keyword: FilterText,
  group: FilterText,
  model: FilterText,
  type: z.optional(z.union([z.literal(''), ChannelType])),
  status: FilterInt,
  tag: FilterText,
  /** Newest first instead of highest priority first. */
  id_sort: z.optional(Flag),
});

export const NewChannel = z.object({
  name: fields.name,
  type: z._default(fields.type, 1),
  key: Key,
  base_url: z._default(fields.base_url, ''),
  other: z._default(fields.other, ''),
  openai_organization: z._default(fields.openai_organization, ''),
  models: fields.models,
  group: z._default(fields.group, 'default'),
  model_mapping: z._default(fields.model_mapping, ''),
  status_code_mapping: z._default(fields.status_code_mapping, ''),
  setting: z._default(fields.setting, ''),
  param_override: z._default(fields.param_override, ''),
  system_prompt: z._default(fields.system_prompt, ''),
  test_model: z._default(fields.test_model, ''),
  auto_ban: z._default(fields.auto_ban, 1),
  priority: z._default(fields.priority, 0),
  weight: z._default(fields.weight, 0),
  tag: z._default(fields.tag, ''),
  model_prefix: z._default(fields.model_prefix, ''),
  status: z._default(z.union([z.literal(1), z.literal(2)]), 1),
});

/** Exactly the fields sent are written; without `key` the keys stay as they are. */
export const ChannelEdit = z.extend(z.partial(z.object(fields)), {
  id: Id,
  key: z.optional(Key),
  status: z.optional(z.union([z.literal(1), z.literal(2)])),
});

const listRow = { method: 'GET', role: 10, input: ChannelList, reply: pageOf(Channel) } as const;

export const channelCalls = {
  list: call({ ...listRow, path: '/api/channel/', summary: 'Lists channels' }),
  search: call({ ...listRow, path: '/api/channel/search', summary: 'Searches channels' }),
  get: call({
    method: 'GET',
    path: '/api/channel/:id',
    role: 10,
    summary: 'Shows a channel; super admins may reveal its keys',
    input: z.extend(ById, { reveal: z._default(Flag, false) }),
    reply: Channel,
  }),
  create: call({
    method: 'POST',
    path: '/api/channel/',
    role: 10,
    summary: 'Connects an upstream as a channel',
    input: NewChannel,
    reply: Channel,
  }),
  edit: call({
    method: 'PUT',
    path: '/api/channel/',
    role: 10,
    summary: 'Changes the fields sent',
    input: ChannelEdit,
    reply: Channel,
  }),
  remove: call({
    method: 'DELETE',
    path: '/api/channel/:id',
    role: 10,
    summary: 'Deletes a channel and its keys',
    input: ById,
    reply: Nothing,
  }),
  setStatus: call({
    method: 'POST',
    path: '/api/channel/:id/status',
    role: 10,
    summary: 'Enables (1) a channel with all its keys, or disables (2) it',
    input: z.object({
      id: Id,
      status: z.union([z.literal(1), z.literal(2)]),
      reason: z.optional(z.string().check(z.trim(), z.maxLength(200))),
    }),
    reply: Channel,
  }),
  copy: call({
    method: 'POST',
    path: '/api/channel/:id/copy',
    role: 10,
    summary: 'Copies a channel with its keys; the copy starts disabled',
    input: z.extend(ById, { name: z.optional(fields.name) }),
    reply: Channel,
  }),
  fixAbilities: call({
    method: 'POST',
    path: '/api/channel/fix',
    role: 10,
    summary: 'Rebuilds the table of which channel serves which model for which group',
    input: z.object({}),
    /** Rows of the rebuilt table. */
    reply: z.int(),
  }),
  modelsEnabled: call({
    method: 'GET',
    path: '/api/channel/models_enabled',
    role: 10,
    summary: 'Lists the models some enabled channel serves',
    input: z.object({}),
    reply: z.array(z.string()),
  }),
};
