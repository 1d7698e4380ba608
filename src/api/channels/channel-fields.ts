/** The fields of a channel that administrators write, and how each is validated. */

import * as z from 'zod/mini';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { areValidKeys } from '../../domain/channels/channel-keys.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { ChannelCostSchema } from '../../domain/pricing/rate-schema.ts';
import { isHeaderText } from '../../domain/text/header-text.ts';
import { CommaList, JsonObjectText, PlainLine } from '../fields.ts';
import { problemMessage } from '../input-problem.ts';

/** A type number or its slug, e.g. 43 or `deepseek`. */
export const ChannelType = z.pipe(
  z.union([z.number(), z.string()]),
  z.transform((value, payload): number => {
    const type = channelTypeOf(value);
    if (type !== undefined) return type.type;
    payload.issues.push({
      code: 'custom',
      message: problemMessage('not_channel_type'),
      input: value,
    });
    return z.NEVER;
  }),
);

const BaseUrl = z.pipe(
  z.union([z.string(), z.null()]),
  z.transform((value, payload): string => {
    const text = (value ?? '').trim().replace(/\/+$/u, '');
    // Blanks and line breaks inside a URL would be removed when sending, so the visible URL would
    // not be the one used.
    if (text === '' || (/^https?:\/\/[^/\s]\S*$/u.test(text) && parsedUrl(text))) return text;
    payload.issues.push({ code: 'custom', message: problemMessage('not_http_url'), input: value });
    return z.NEVER;
  }),
);

/** Null and empty both mean "not set". */
const Text = (length: number) =>
  z.pipe(
    z.union([z.string().check(z.maxLength(length)), z.null()]),
    z.transform((value) => (value ?? '').trim()),
  );

const LONGEST_MODEL_NAME = 255;
const MOST_INPUT_TOKENS = 1_000_000_000;

/** The JSON object in a column validated by `JsonObjectText`. */
function objectOf(text: string): Readonly<Record<string, unknown>> {
  return text === '' ? {} : JSON.parse(text);
}

/** Requested name to upstream name. */
export const ModelMapping = JsonObjectText.check(
  z.refine(
    (text) =>
      Object.values(objectOf(text)).every((name) => typeof name === 'string' && name !== ''),
    problemMessage('not_name_map'),
  ),
);

const PROXY_SCHEMES = new Set(['http:', 'https:', 'socks5:']);

/** Integer members of `setting` and their maximum. */
const SETTING_NUMBERS = {
  max_concurrency: 1_000_000,
  tokens_per_minute: 1_000_000_000,
  first_content_timeout_seconds: 3_600,
  answer_timeout_seconds: 86_400,
} as const;

const Setting = JsonObjectText.check(
  (payload) => {
    const members = objectOf(payload.value);
    for (const [name, most] of Object.entries(SETTING_NUMBERS)) {
      const value = members[name];
      const isFit = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
      if (value === undefined || isFit) continue;
      const message = problemMessage('setting_number', { name, most });
      payload.issues.push({ code: 'custom', message, input: payload.value });
    }
  },
  z.refine((text) => {
    const { proxy = '' } = objectOf(text);
    return (
      proxy === '' ||
      (typeof proxy === 'string' && PROXY_SCHEMES.has(parsedUrl(proxy)?.protocol ?? ''))
    );
  }, problemMessage('setting_proxy')),
);

/** Stored as text. */
const Cost = JsonObjectText.check(
  z.refine(
    (text) => ChannelCostSchema.safeParse(objectOf(text)).success,
    problemMessage('channel_cost'),
  ),
);

export const NameList = CommaList.check(z.minLength(1));
export const ModelList = NameList.check(
  z.refine(
    (models) => models.split(',').every((model) => model.length <= LONGEST_MODEL_NAME),
    problemMessage('model_name_long', { most: LONGEST_MODEL_NAME }),
  ),
);

export const channelFields = {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(191), PlainLine),
  type: ChannelType,
  base_url: BaseUrl.check(z.maxLength(512)),
  /** API version, region, account id: additional data that the type needs. */
  other: Text(20_000),
  openai_organization: Text(191).check(z.refine(isHeaderText, problemMessage('not_header'))),
  models: ModelList,
  group: NameList,
  model_mapping: ModelMapping,
  status_code_mapping: JsonObjectText.check(z.maxLength(1024)),
  setting: Setting,
  param_override: JsonObjectText,
  system_prompt: Text(100_000),
  test_model: Text(LONGEST_MODEL_NAME),
  auto_ban: z.union([z.literal(0), z.literal(1)]),
  priority: z.int().check(z.minimum(-999), z.maximum(1_000_000_000)),
  weight: z.int().check(z.nonnegative(), z.maximum(1_000_000)),
  tag: Text(64),
  model_prefix: Text(64),
  /** Longer prompts (estimated) are routed to other channels; 0 means no limit. */
  max_input_tokens: z.int().check(z.nonnegative(), z.maximum(MOST_INPUT_TOKENS)),
  /** What the upstream charges: `factor` on the list price, `rates` by model; empty if unknown. */
  cost: Cost,
};

export const HeaderSafeText = z.refine<string>(areValidKeys, problemMessage('key_signs'));

/** One key, or several separated by commas or line breaks; a JSON key is kept whole. */
export const KeyList = z.string().check(
  z.refine((key) => key.trim() !== '', problemMessage('empty')),
  z.maxLength(1_000_000),
  HeaderSafeText,
);
