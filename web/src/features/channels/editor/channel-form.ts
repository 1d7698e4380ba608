/** The editor's form: initial values, validation and the request body. */
import type { TFunction } from 'i18next';
import { splitKeys } from '../../../../../src/domain/channels/channel-keys.ts';
import { keyProblem, VERTEX } from '../../../../../src/domain/channels/cloud-keys.ts';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { isJsonObject } from '../../../components/forms/json-problems.ts';
import type { Channel } from '../calls.ts';
import type { TypeFacts } from './useChannelTypes.ts';

/** Empty number fields are ''. */
type Typed = number | string;

export interface ChannelValues {
  readonly type: number;
  readonly name: string;
  readonly isEnabled: boolean;
  /**
   * One key, or several separated by commas or line breaks. When editing, blank keeps the stored
   * ones.
   */
  readonly key: string;
  /** For a new channel with several keys: creates one channel per key. */
  readonly isBatch: boolean;
  readonly base_url: string;
  readonly other: string;
  readonly openai_organization: string;
  readonly models: readonly string[];
  readonly group: readonly string[];
  readonly priority: Typed;
  readonly weight: Typed;
  readonly tag: string;
  readonly model_prefix: string;
  readonly test_model: string;
  readonly auto_ban: boolean;
  readonly model_mapping: string;
  readonly status_code_mapping: string;
  readonly param_override: string;
  readonly setting: string;
  readonly system_prompt: string;
  readonly max_input_tokens: Typed;
  readonly cost: string;
}

export const NEW_CHANNEL: ChannelValues = {
  type: 1,
  name: '',
  isEnabled: true,
  key: '',
  isBatch: false,
  base_url: '',
  other: '',
  openai_organization: '',
  models: [],
  group: ['default'],
  priority: 0,
  weight: 0,
  tag: '',
  model_prefix: '',
  test_model: '',
  auto_ban: true,
  model_mapping: '',
  status_code_mapping: '',
  param_override: '',
  setting: '',
  system_prompt: '',
  max_input_tokens: 0,
  cost: '',
};

export const LOWEST_PRIORITY = -999;

export function valuesOf(channel: Channel): ChannelValues {
  return {
    type: channel.type,
    name: channel.name,
    isEnabled: channel.status === CHANNEL_STATUS.enabled,
    key: '',
    isBatch: false,
    base_url: channel.base_url,
    other: channel.other,
    openai_organization: channel.openai_organization,
    models: splitList(channel.models),
    group: splitList(channel.group),
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag,
    model_prefix: channel.model_prefix,
    test_model: channel.test_model,
    auto_ban: channel.auto_ban === 1,
    model_mapping: pretty(channel.model_mapping),
    status_code_mapping: pretty(channel.status_code_mapping),
    param_override: pretty(channel.param_override),
    setting: pretty(channel.setting),
    system_prompt: channel.system_prompt,
    max_input_tokens: channel.max_input_tokens,
    cost: pretty(channel.cost),
  };
}

function pretty(json: string): string {
  try {
    return json === '' ? '' : JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** The fields in the wire format; the caller adds status and key. */
export function wireFields(values: ChannelValues) {
  return {
    type: values.type,
    name: values.name.trim(),
    base_url: tidyUrl(values.base_url),
    other: otherOf(values),
    openai_organization: values.openai_organization.trim(),
    models: values.models.join(','),
    group: values.group.join(','),
    priority: Number(values.priority),
    weight: Number(values.weight),
    tag: values.tag.trim(),
    model_prefix: values.model_prefix.trim(),
    test_model: values.test_model.trim(),
    auto_ban: values.auto_ban ? (1 as const) : (0 as const),
    model_mapping: values.model_mapping.trim(),
    status_code_mapping: values.status_code_mapping.trim(),
    param_override: values.param_override.trim(),
    setting: values.setting.trim(),
    system_prompt: values.system_prompt.trim(),
    max_input_tokens: Number(values.max_input_tokens),
    cost: values.cost.trim(),
  };
}

/** Stored for a server that needs no key: a channel has at least one. */
const NO_KEY = 'none';

export function newChannel(values: ChannelValues) {
  const keys = splitKeys(values.key);
  return {
    ...wireFields(values),
    key: keys.join('\n') || NO_KEY,
    mode: values.isBatch && keys.length > 1 ? ('batch' as const) : ('single' as const),
    status: statusOf(values),
  };
}

/** Only the fields that changed, so that concurrent edits of other fields are kept. */
export function changesOf(values: ChannelValues, before: ChannelValues) {
  const [now, was] = [wireFields(values), wireFields(before)];
  const fields = Object.entries(now).filter(
    ([name, value]) => value !== was[name as keyof typeof was], // a name of the same object
  );
  return {
    ...(Object.fromEntries(fields) as Partial<typeof now>),
    ...(values.key.trim() !== '' && { key: values.key.trim() }),
    ...(values.isEnabled !== before.isEnabled && { status: statusOf(values) }),
  };
}

/** The changed fields' previous values, sent so that the server rejects a conflicting edit. */
export function asRead(channel: Channel, changes: ReturnType<typeof changesOf>): Partial<Channel> {
  const { key: _, status: __, ...fields } = changes;
  return Object.fromEntries(
    Object.keys(fields).map((name) => [name, channel[name as keyof typeof fields]]), // a name of the same object
  );
}

function statusOf({ isEnabled }: ChannelValues): 1 | 2 {
  return isEnabled ? 1 : 2;
}

export function tidyUrl(url: string): string {
  return url.trim().replace(/\/+$/, '');
}

const IFLYTEK = 18;
const FIRST_IFLYTEK_VERSION = 'v2.1';

function otherOf({ type, other }: ChannelValues): string {
  const text = other.trim();
  return type === IFLYTEK && text === '' ? FIRST_IFLYTEK_VERSION : text;
}

type Check = (values: ChannelValues) => string | null;

/** The fields the chosen type needs. */
export type RequiredByType = Pick<TypeFacts, 'address' | 'other_field' | 'key_optional'>;

export interface CheckNeeds {
  readonly isNew: boolean;
  /** undefined for a type unknown to the gateway. */
  readonly facts: RequiredByType | undefined;
}

/** Validators by field. Each gets the whole form, because the rules depend on the type. */
function checksOf(t: TFunction, { isNew, facts }: CheckNeeds) {
  const json =
    (label: string, read: (values: ChannelValues) => string): Check =>
    (values) =>
      isJsonObject(read(values)) ? null : t('channel.check.json', { field: label });
  const checks = {
    name: ({ name }) => (name.trim() === '' ? t('channel.check.name') : null),
    key: (values) => keyProblemOf(t, values, isNew && facts?.key_optional !== true),
    base_url: ({ base_url }) => urlProblem(t, tidyUrl(base_url), facts),
    other: (values) => otherProblem(t, values, facts),
    models: ({ models }) => (models.length === 0 ? t('channel.check.models') : null),
    group: ({ group }) => (group.length === 0 ? t('channel.check.group') : null),
    priority: ({ priority }) =>
      isWhole(priority, LOWEST_PRIORITY) ? null : t('channel.check.priority'),
    weight: ({ weight }) => (isWhole(weight, 0) ? null : t('channel.check.weight')),
    max_input_tokens: ({ max_input_tokens }) =>
      isWhole(max_input_tokens, 0) ? null : t('channel.check.maxInput'),
    model_mapping: json(t('channel.field.modelMapping'), (values) => values.model_mapping),
    status_code_mapping: json(
      t('channel.field.statusMapping'),
      (values) => values.status_code_mapping,
    ),
    param_override: json(t('channel.field.paramOverride'), (values) => values.param_override),
    setting: json(t('channel.field.setting'), (values) => values.setting),
    cost: json(t('channel.field.cost'), (values) => values.cost),
  } satisfies Partial<Record<keyof ChannelValues, Check>>;
  return checks;
}

/** Errors by field; empty if the form is valid. */
export function channelProblems(
  values: ChannelValues,
  t: TFunction,
  needs: CheckNeeds,
): Partial<Record<keyof ChannelValues, string>> {
  const found = Object.entries<Check>(checksOf(t, needs)).flatMap(([field, check]) => {
    const problem = check(values);
    return problem === null ? [] : [[field, problem]];
  });
  return Object.fromEntries(found);
}

function urlProblem(t: TFunction, url: string, facts: RequiredByType | undefined): string | null {
  if (url === '') return facts?.address.needed ? t('channel.check.baseUrlMissing') : null;
  return /^https?:\/\/[^/\s]\S*$/.test(url) && URL.canParse(url)
    ? null
    : t('channel.check.baseUrl');
}

/** Every key must have a form the type accepts. */
function keyProblemOf(t: TFunction, { key, type, other }: ChannelValues, isNeeded: boolean) {
  const keys = splitKeys(key);
  if (keys.length === 0) return isNeeded ? t('channel.check.key') : null;
  const problem = keys.map((one) => keyProblem(type, one, other)).find(Boolean);
  if (problem === undefined) return null;
  return t(`channel.check.cloudKey.${problem.word}`, { field: problem.field ?? '' });
}

/** Required if the type needs it; a region is plain text or a JSON map. */
function otherProblem(
  t: TFunction,
  { type, other }: ChannelValues,
  facts: RequiredByType | undefined,
) {
  const text = other.trim();
  const field = facts?.other_field;
  if (text === '' && field?.needed)
    return t('channel.check.otherMissing', { field: t(`channel.other.${field.is}`) });
  const isBroken = type === VERTEX && text.startsWith('{') && !isJsonObject(text);
  return isBroken ? t('channel.check.regionJson') : null;
}

export function isWhole(value: Typed, least: number): boolean {
  const number = Number(value);
  return String(value).trim() !== '' && Number.isSafeInteger(number) && number >= least;
}
