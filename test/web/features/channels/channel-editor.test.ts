/** Rules of the channel editor that can be tested without a browser. */
import type { TFunction } from 'i18next';
import { describe, expect, test } from 'vitest';
import { CHANNEL_KINDS, CHANNEL_TYPE_LIST } from '../../../../src/domain/channels/channel-types.ts';
import { providerFacts, providerForm } from '../../../../src/providers/provider-facts.ts';
import { PROVIDERS, providerOf } from '../../../../src/providers/rows/provider-rows.ts';
import { mergeKeys } from '../../../../web/src/components/forms/KeyList.tsx';
import {
  asRead,
  type ChannelValues,
  changesOf,
  channelProblems,
  NEW_CHANNEL,
  newChannel,
  valuesOf,
  wireFields,
} from '../../../../web/src/features/channels/editor/channel-form.ts';
import {
  requestPreview,
  unservedAliases,
} from '../../../../web/src/features/channels/editor/request-preview.ts';
import {
  isOn,
  readMembers,
  SETTING_SWITCHES,
  withMember,
} from '../../../../web/src/features/channels/editor/setting-edit.ts';
import {
  typesMeantBy,
  typesOfKind,
} from '../../../../web/src/features/channels/editor/type-forms.ts';
import texts from '../../../../web/src/locales/en/channel.json';
import { channel } from './channel-record.ts';

/** Returns a key with its values, so that tests can check the text and the field. */
const t = ((key: string, values: object = {}) =>
  [key, ...Object.values(values)].join(' ')) as unknown as TFunction; // only ever called with a key

const values = (change: Partial<ChannelValues> = {}): ChannelValues => ({
  ...NEW_CHANNEL,
  name: 'main',
  key: 'sk-1',
  models: ['gpt-4o'],
  ...change,
});

const problems = (change: Partial<ChannelValues>, isNew = true) => {
  const provider = providerOf(change.type ?? NEW_CHANNEL.type);
  const { address, other } = providerForm(provider);
  const key_optional = provider?.keyOptional ?? false;
  return channelProblems(values(change), t, {
    isNew,
    facts: { address, other_field: other, key_optional },
  });
};

describe('the channel form', () => {
  test('starts with type 1, the group default, auto-disable on, priority and weight 0', () => {
    expect(NEW_CHANNEL).toMatchObject({
      type: 1,
      group: ['default'],
      auto_ban: true,
      priority: 0,
      weight: 0,
    });
    expect(newChannel(values())).toMatchObject({ type: 1, group: 'default', auto_ban: 1 });
  });

  test('stores a placeholder for the key that a server of its own needs none of', () => {
    expect(problems({ type: 8, key: '' }).key).toBeUndefined();
    expect(newChannel(values({ type: 8, key: ' ' })).key).toBe('none');
    expect(problems({ type: 1, key: '' }).key).toBe('channel.check.key');
  });

  test('requires name, key and models for a new channel, and no key for an existing one', () => {
    const blank = { name: ' ', key: ' ,\n', models: [] };
    expect(Object.keys(problems(blank))).toEqual(['name', 'key', 'models']);
    expect(Object.keys(problems(blank, false))).toEqual(['name', 'models']);
    expect(problems({})).toEqual({});
  });

  test.each([
    ['priority', -1000, false],
    ['priority', -999, true],
    ['priority', 1.5, false],
    ['priority', '', false],
    ['weight', -1, false],
    ['weight', 0, true],
    ['weight', 0.5, false],
    ['max_input_tokens', -1, false],
  ] as const)('%s %s is fine: %s', (field, value, isFine) => {
    expect(field in problems({ [field]: value })).toBe(!isFine);
  });

  test('names the JSON field that is not an object, and accepts empty ones', () => {
    expect(problems({ model_mapping: '', setting: '{}' })).toEqual({});
    expect(problems({ model_mapping: '{' }).model_mapping).toBe(
      'channel.check.json channel.field.model_mapping',
    );
    for (const field of ['status_code_mapping', 'param_override', 'setting'] as const)
      expect(problems({ [field]: '[1]' })[field]).toContain('channel.check.json');
  });

  test('reports faults of cloud keys and names the faulty member', () => {
    const key = (type: number, key: string, other = '') => problems({ type, key, other }).key;
    expect(key(33, 'AKIA1|secret|us-east-1')).toBeUndefined();
    expect(key(33, 'AKIA1|secret', 'us-east-1')).toBeUndefined();
    expect(key(33, 'AKIA1|secret')).toBe('channel.check.cloudKey.awsRegion ');
    expect(key(33, 'a|b|c|d|e')).toBe('channel.check.cloudKey.awsParts ');
    expect(key(41, 'AIza-express', 'global')).toBeUndefined();
    expect(key(41, '{"project_id":"p"}', 'global')).toBe(
      'channel.check.cloudKey.missing client_email',
    );
    expect(key(1, 'a|b|c|d|e')).toBeUndefined();
    expect(problems({ type: 33, key: '' }, false).key).toBeUndefined();
  });

  test('takes a region as text or as a JSON map, for type 41 alone', () => {
    const region = (other: string, type = 41) => problems({ type, other }).other;
    expect(region('us-central1')).toBeUndefined();
    expect(region('{"default":"us-central1"}')).toBeUndefined();
    expect(region('{"default"')).toBe('channel.check.regionJson');
    expect(region('')).toBe('channel.check.otherMissing channel.other.region');
    expect(region('', 1)).toBeUndefined();
  });

  test('removes slashes from the base URL, detects a version at its end and refuses text that is not an address', () => {
    expect(wireFields(values({ base_url: ' https://a.test/x// ' })).base_url).toBe(
      'https://a.test/x',
    );
    expect(problems({ base_url: 'a.test' }).base_url).toBe('common.urlWrong');
    expect(problems({ type: 8 }).base_url).toBe('channel.check.baseUrlMissing');
  });

  test('an empty version becomes v2.1 for type 18 only', () => {
    expect(wireFields(values({ type: 18 })).other).toBe('v2.1');
    expect(wireFields(values({ type: 18, other: 'v4.0' })).other).toBe('v4.0');
    expect(wireFields(values({ type: 1 })).other).toBe('');
  });

  test('models and groups are comma lists on the wire', () => {
    const sent = wireFields(values({ models: ['a', 'b'], group: ['default', 'vip'] }));
    expect([sent.models, sent.group]).toEqual(['a,b', 'default,vip']);
  });

  test('keys are split at commas and line breaks, a JSON key stays whole', () => {
    const json = '{"type":"service_account",\n"id":"a b"}';
    expect(newChannel(values({ key: 'sk-1, sk-2\nsk-1' })).key).toBe('sk-1\nsk-2');
    expect(mergeKeys(['sk-1'], `sk-2,sk-1\n\n${json}`)).toEqual(['sk-1', 'sk-2', json]);
  });

  test('offers one channel per key only if there are several keys', () => {
    expect(newChannel(values({ key: 'a,b', isBatch: true })).mode).toBe('batch');
    expect(newChannel(values({ key: 'a', isBatch: true })).mode).toBe('single');
  });

  test('an edit sends what differs and nothing else; a blank key is no change', () => {
    const before = valuesOf(channel({ model_mapping: '{"a":"b"}', status: 3 }));
    expect(changesOf(before, before)).toEqual({});
    expect(changesOf({ ...before, weight: 3, isEnabled: true }, before)).toEqual({
      weight: 3,
      status: 1,
    });
    expect(changesOf({ ...before, key: 'sk-new' }, before)).toEqual({ key: 'sk-new' });
  });

  test('an edit records the version that it is based on', () => {
    const read = channel({ setting: '{"a":1}', priority: 4, status: 1 });
    const before = valuesOf(read);
    const typed = { ...before, setting: '{}', priority: 5, isEnabled: false, key: 'sk-new' };
    expect(asRead(read, changesOf(typed, before))).toEqual({ setting: '{"a":1}', priority: 4 });
  });
});

test('the preview follows prefix and mapping as the gateway does', () => {
  const form = values({
    model_prefix: 'eu/',
    model_mapping: '{"eu/gpt-4o":"house-gpt","a":"b","b":"a"}',
    param_override: '{"temperature":0}',
    system_prompt: 'Be brief.',
  });
  expect(requestPreview(form, 'gpt-4o')).toEqual({
    requested: 'eu/gpt-4o',
    sent: 'house-gpt',
    overrides: ['temperature = 0'],
    hasSystemPrompt: true,
  });
  expect(requestPreview(form, 'a').sent).toBeUndefined();
  expect(requestPreview({ ...form, model_mapping: '{' }, 'x').sent).toBe('x');
});

test('fields of the settings write their own member into the JSON and leave the others', () => {
  const typed = readMembers('{"proxy":"http://p:1","own":1}') ?? {};
  expect([isOn(typed, 'force_format'), typed.proxy]).toEqual([false, 'http://p:1']);
  const on =
    readMembers(withMember(typed, 'stream_support', SETTING_SWITCHES.stream_support)) ?? {};
  expect(on).toEqual({ proxy: 'http://p:1', own: 1, stream_support: 'NON_STREAM_ONLY' });
  expect(isOn(on, 'stream_support')).toBe(true);
  const off = readMembers(withMember(on, 'stream_support', undefined)) ?? {};
  expect(off).toEqual(typed);
  expect(withMember({ chat_only: true }, 'chat_only', undefined)).toBe('');
  expect(['{"a":', '[1]', 'null'].map(readMembers)).toEqual([undefined, undefined, undefined]);
});

test('lists every channel type once in the picker', () => {
  const listed = CHANNEL_KINDS.flatMap((kind) => typesOfKind(kind).map(({ type }) => type));
  expect(listed.toSorted((a, b) => a - b)).toEqual(CHANNEL_TYPE_LIST.map(({ type }) => type));
});

test('a type is found by every word that people have for it', () => {
  const notes: Readonly<Record<string, string>> = texts;
  const all = CHANNEL_TYPE_LIST.map(({ type }) => type);
  const found = (typed: string) => {
    const types = typesMeantBy(all, typed, (slug) => notes[`channel.note.${slug}`] ?? '');
    return CHANNEL_TYPE_LIST.filter(({ type }) => types.has(type)).map(({ name }) => name);
  };
  expect(found('kimi')).toEqual(['Moonshot']);
  expect(found(' Bedrock ')).toEqual(['AWS Claude']);
  expect(found('azure')).toEqual(['Azure OpenAI']);
  expect(found('')).toHaveLength(CHANNEL_TYPE_LIST.length);
  // No name has these words, so notes are searched too.
  expect(found('comp')).toContain('OpenAI');
  expect(found('openai compatible')).toEqual(['OpenAI']);
  expect(found('no such word')).toEqual([]);
});

test('requires a base URL for every relayed type that has no default', () => {
  // Cloud transports derive the address from the region.
  const knows = new Set(['bedrock', 'vertex']);
  const without = PROVIDERS.filter(
    ({ baseUrl, supported, transport }) => baseUrl === '' && supported && !knows.has(transport),
  );
  for (const { type, name } of without) {
    expect(problems({ type, base_url: '' }).base_url, name).toBe('channel.check.baseUrlMissing');
  }
});

test('an id without which no call can be made is asked for by its name', () => {
  const missing = (type: number) => problems({ type, other: ' ' }).other;
  expect([39, 21, 1013].map(missing)).toEqual(
    ['accountId', 'knowledgeBaseId', 'botId'].map(
      (id) => `channel.check.otherMissing channel.other.${id}`,
    ),
  );
  // An empty field means a Dify agent, or Ollama with the OpenAI dialect.
  expect([37, 4, 24].map(missing)).toEqual([undefined, undefined, undefined]);
});

test('the editor shows the hint of every type that has one', () => {
  const shown = Object.keys(texts).filter((key) => key.startsWith('channel.note.'));
  const remarkable = PROVIDERS.map(providerFacts).filter(
    ({ note, keyForm, variants }) => `${note}${keyForm}${variants.join()}` !== '',
  );
  expect(remarkable.filter(({ slug }) => !shown.includes(`channel.note.${slug}`))).toEqual([]);
  const slugs = new Set(PROVIDERS.map(({ slug }) => slug));
  expect(shown.filter((key) => !slugs.has(key.replace('channel.note.', '')))).toEqual([]);
});

test.each([
  [{ a: 'gpt-4o' }, ['a']],
  [{ a: 'gpt-4o', 'gpt-4o': 'gpt-4o-2026' }, ['a']],
  [{ a: 'b', b: 'c', listed: 'd' }, ['a']],
  [{ 'eu/a': 'x', 'eu/listed': 'y' }, ['a']],
  [{ 'gpt-4-gizmo-123': 'x' }, []],
  ['{', []],
] as const)('given the mapping %j, does not offer the names %j', (mapping, names) => {
  const model_mapping = typeof mapping === 'string' ? mapping : JSON.stringify(mapping);
  const models = ['gpt-4o', 'listed', 'gpt-4-gizmo-*'];
  expect(unservedAliases({ models, model_mapping, model_prefix: 'eu/' })).toEqual(names);
});
