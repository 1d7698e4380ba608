/** How the fields of a channel that administrators write are validated. */

import * as z from 'zod/mini';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { areValidKeys } from '../../domain/channels/channel-keys.ts';
import { CHANNEL_TYPE_LIST, channelTypeOf } from '../../domain/channels/channel-types.ts';
import { CAPS } from '../../domain/nouns/caps.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { ChannelCostSchema } from '../../domain/pricing/rate-schema.ts';
import { isHeaderText } from '../../domain/text/header-text.ts';
import { similarNames } from '../../domain/text/similar-names.ts';
import { inputShape } from '../column-schemas.ts';
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
      message: problemMessage('not_channel_type', { similar: similarTypes(String(value)) }),
      input: value,
    });
    return z.NEVER;
  }),
);

function similarTypes(word: string): string[] {
  return similarNames(
    word,
    CHANNEL_TYPE_LIST.map(({ slug }) => slug),
  );
}

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

const LONGEST_MODEL_NAME = CHANNEL.test_model.most;

/** The JSON object in a column validated by `JsonObjectText`. */
function objectOf(text: string): Readonly<Record<string, unknown>> {
  return text === '' ? {} : JSON.parse(text);
}

/** Requested name to upstream name. */
const ModelMapping = JsonObjectText.check(
  z.refine(
    (text) =>
      Object.values(objectOf(text)).every((name) => typeof name === 'string' && name !== ''),
    problemMessage('not_name_map'),
  ),
);

const PROXY_SCHEMES = new Set(['http:', 'https:', 'socks5:']);

/** Integer members of `setting` and their maximum. */
const SETTING_NUMBERS = {
  max_concurrency: CAPS.max_concurrency.most,
  tokens_per_minute: CAPS.tokens_per_minute.most,
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

const NameList = CommaList.check(z.minLength(1));
const ModelList = NameList.check(
  z.refine(
    (models) => models.split(',').every((model) => model.length <= LONGEST_MODEL_NAME),
    problemMessage('model_name_long', { most: LONGEST_MODEL_NAME }),
  ),
);

export const channelFields = inputShape(CHANNEL, {
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(CHANNEL.name.most), PlainLine),
  type: ChannelType,
  base_url: BaseUrl.check(z.maxLength(CHANNEL.base_url.most)),
  openai_organization: z
    .pipe(
      z.nullable(z.string().check(z.maxLength(CHANNEL.openai_organization.most))),
      z.transform((value) => (value ?? '').trim()),
    )
    .check(z.refine(isHeaderText, problemMessage('not_header'))),
  models: ModelList,
  group: NameList,
  model_mapping: ModelMapping,
  status_code_mapping: JsonObjectText.check(z.maxLength(1024)),
  setting: Setting,
  cost: Cost,
});

export const HeaderSafeText = z.refine<string>(areValidKeys, problemMessage('key_signs'));

/** One key, or several separated by commas or line breaks; a JSON key is kept whole. */
export const KeyList = z.string().check(
  z.refine((key) => key.trim() !== '', problemMessage('empty')),
  z.maxLength(1_000_000),
  HeaderSafeText,
);
