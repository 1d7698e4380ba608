/** The editor's form: initial values, validation and the request body. */
import type { TFunction } from 'i18next';
import { splitKeys } from '../../../../../src/domain/channels/channel-keys.ts';
import { keyProblem, VERTEX } from '../../../../../src/domain/channels/cloud-keys.ts';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import {
  eachColumn,
  type NounColumn,
  type SentFields,
} from '../../../../../src/domain/nouns/columns.ts';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import {
  changedFields,
  type FormValues,
  formValues,
  freshValues,
  sentValues,
} from '../../../components/forms/column-values.ts';
import { isJsonObject } from '../../../components/forms/json-problems.ts';
import type { Channel } from '../calls.ts';
import type { TypeFacts } from './useChannelTypes.ts';

export interface ChannelValues extends FormValues<typeof CHANNEL> {
  readonly type: number;
  readonly isEnabled: boolean;
  /**
   * One key, or several separated by commas or line breaks. When editing, blank keeps the stored
   * ones.
   */
  readonly key: string;
  /** For a new channel with several keys: creates one channel per key. */
  readonly isBatch: boolean;
}

export const NEW_CHANNEL: ChannelValues = {
  ...freshValues(CHANNEL),
  type: CHANNEL.type.default,
  isEnabled: true,
  key: '',
  isBatch: false,
};

export function valuesOf(channel: Channel): ChannelValues {
  return {
    ...formValues(CHANNEL, channel),
    type: channel.type,
    isEnabled: channel.status === CHANNEL_STATUS.enabled,
    key: '',
    isBatch: false,
  };
}

/** The fields in the wire format; the caller adds status and key. */
export function wireFields(values: ChannelValues): SentFields<typeof CHANNEL> {
  return {
    ...sentValues(CHANNEL, values),
    base_url: tidyUrl(values.base_url),
    other: otherOf(values),
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
  return {
    ...changedFields(wireFields(values), wireFields(before)),
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
  const own: Partial<Record<keyof ChannelValues, Check>> = {
    name: ({ name }) => (name.trim() === '' ? t('channel.check.name') : null),
    key: (values) => keyProblemOf(t, values, isNew && facts?.key_optional !== true),
    base_url: ({ base_url }) => urlProblem(t, tidyUrl(base_url), facts),
    other: (values) => otherProblem(t, values, facts),
    models: ({ models }) => (models.length === 0 ? t('channel.check.models') : null),
    group: ({ group }) => (group.length === 0 ? t('channel.check.group') : null),
  };
  const columns = eachColumn(CHANNEL, (row, name) => own[name] ?? plainCheck(t, row, name));
  return { ...own, ...columns };
}

function plainCheck(t: TFunction, { kind, least }: NounColumn, name: keyof typeof CHANNEL): Check {
  return ({ [name]: value }) => {
    if (kind === 'json' && !isJsonObject(String(value)))
      return t('channel.check.json', { field: t(`channel.field.${name}`) });
    const isTooSmall = least !== undefined && !isWhole(String(value), least);
    return isTooSmall ? t('channel.check.least', { least }) : null;
  };
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
  return /^https?:\/\/[^/\s]\S*$/.test(url) && URL.canParse(url) ? null : t('common.urlWrong');
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

export function isWhole(value: number | string, least: number): boolean {
  const number = Number(value);
  return String(value).trim() !== '' && Number.isSafeInteger(number) && number >= least;
}
