/** Rules of the channel screens that can be tested without a browser. */
import type { TFunction } from 'i18next';
import { describe, expect, test } from 'vitest';
import { NewChannel } from '../../../../src/api/channels/channel.ts';
import { CHANNEL_KINDS, CHANNEL_TYPE_LIST } from '../../../../src/domain/channels/channel-types.ts';
import { providerFacts, providerForm } from '../../../../src/providers/provider-facts.ts';
import { PROVIDERS, providerOf } from '../../../../src/providers/rows/provider-rows.ts';
import { mergeKeys } from '../../../../web/src/components/forms/KeyList.tsx';
import type { Channel } from '../../../../web/src/features/channels/calls.ts';
import { unservedAliases } from '../../../../web/src/features/channels/editor/aliases.ts';
import {
  asRead,
  type ChannelValues,
  changesOf,
  channelProblems,
  endsInVersion,
  NEW_CHANNEL,
  newChannel,
  valuesOf,
  wireFields,
} from '../../../../web/src/features/channels/editor/channel-form.ts';
import { requestPreview } from '../../../../web/src/features/channels/editor/request-preview.ts';
import {
  isOn,
  readMembers,
  SETTING_SWITCHES,
  withMember,
} from '../../../../web/src/features/channels/editor/setting-edit.ts';
import { isMeantBy, typesOfKind } from '../../../../web/src/features/channels/editor/type-forms.ts';
import { keptModels } from '../../../../web/src/features/channels/editor/useChannelTypes.ts';
import {
  CHANNEL_FIELDS,
  isSearch,
  queryOf,
} from '../../../../web/src/features/channels/list/channel-filters.ts';
import {
  boxesOf,
  channelRowId,
  channelsChosen,
  common,
  meanResponse,
  namesIn,
  tagLines,
} from '../../../../web/src/features/channels/list/channel-rows.ts';
import { failedTestOf, failureOf } from '../../../../web/src/features/channels/list/failing.ts';
import { statusInfoOf } from '../../../../web/src/features/channels/list/status-info.ts';
import { diffOf, firstChoice } from '../../../../web/src/features/channels/models/model-diff.ts';
import { tagChanges, tagValuesOf } from '../../../../web/src/features/channels/tags/tag-edit.ts';
import { inParallel } from '../../../../web/src/features/channels/tests/parallel.ts';
import { serverEvents } from '../../../../web/src/features/channels/tests/read-events.ts';
import {
  type ModelTest,
  testSummary,
} from '../../../../web/src/features/channels/tests/test-results.ts';
import { readState } from '../../../../web/src/lib/browser/url-state.ts';
import texts from '../../../../web/src/locales/en/channel.json';

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
  const { address, other } = providerForm(providerOf(change.type ?? NEW_CHANNEL.type));
  return channelProblems(values(change), t, { isNew, facts: { address, other_field: other } });
};

const channel = (change: Partial<Channel> = {}): Channel => ({
  ...NewChannel.parse({ name: 'main', key: 'sk-***', models: 'gpt-4o' }),
  id: 1,
  keys: [],
  other_info: '',
  created_time: 0,
  test_time: 0,
  response_time: 0,
  balance: 0,
  balance_currency: '',
  balance_updated_time: 0,
  used_quota: 0,
  ...change,
});

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

  test('names the JSON field that is no object, and lets empty ones be', () => {
    expect(problems({ model_mapping: '', setting: '{}' })).toEqual({});
    expect(problems({ model_mapping: '{' }).model_mapping).toBe(
      'channel.check.json channel.field.modelMapping',
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

  test('cuts slashes off the base URL, notices a version at its end and refuses what is no address', () => {
    expect(wireFields(values({ base_url: ' https://a.test/x// ' })).base_url).toBe(
      'https://a.test/x',
    );
    expect([endsInVersion('https://a.test/v1/'), endsInVersion('https://a.test/v1beta')]).toEqual([
      true,
      false,
    ]);
    expect(problems({ base_url: 'a.test' }).base_url).toBe('channel.check.baseUrl');
    expect(problems({ type: 8 }).base_url).toBe('channel.check.baseUrlMissing');
  });

  test('an empty version of type 18 becomes v2.1, and of no other', () => {
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

describe('the channel list', () => {
  const taste = { pageSize: 20, tagMode: true, idSort: true };
  const query = (address: string) =>
    queryOf(readState(CHANNEL_FIELDS, new URLSearchParams(address)), taste);

  test('a search keeps tag view and order, and joins keyword, group and model', () => {
    const asked = query('q=main&group=vip&model=gpt&page=3&status=auto_disabled');
    expect(asked).toEqual({
      p: 3,
      page_size: 20,
      id_sort: true,
      tag_mode: true,
      keyword: 'main',
      group: 'vip',
      model: 'gpt',
      status: 3,
    });
    expect([isSearch(asked), isSearch(query('type=3'))]).toEqual([true, false]);
  });

  const tagged = [
    channel({ id: 1, tag: 'a', priority: 5, response_time: 100, models: 'x,y' }),
    channel({ id: 2, tag: 'b' }),
    channel({ id: 3, tag: 'a', priority: 5, weight: 2, response_time: 300, models: 'y,z' }),
  ];

  test('opens a tag into its channels and shows their shared values', () => {
    const lines = tagLines(tagged, new Set(['a']));
    expect(lines.map(channelRowId)).toEqual(['tag:a', 1, 3, 'tag:b']);
    const own = tagged.filter(({ tag }) => tag === 'a');
    expect(common(own, (one) => one.priority)).toBe(5);
    expect(common(own, (one) => one.weight)).toBeUndefined();
    expect(namesIn(own, (one) => one.models)).toEqual(['x', 'y', 'z']);
    expect([meanResponse(own), meanResponse([channel()])]).toEqual([200, 0]);
  });

  test('the checkbox of a tag selects all of its channels', () => {
    const lines = tagLines(tagged, new Set(['a']));
    const all = channelsChosen(new Set(), new Set(['tag:a']), lines);
    expect([...all]).toEqual([1, 3]);
    expect([...boxesOf(all, lines)]).toEqual(['tag:a', 1, 3]);
    // One channel is deselected while its tag is still selected in the table.
    const one = channelsChosen(all, new Set(['tag:a', 3]), lines);
    expect([...one]).toEqual([3]);
    expect([...boxesOf(one, lines)]).toEqual([3]);
    expect([...channelsChosen(all, new Set([1, 3]), lines)]).toEqual([]);
    expect([...channelsChosen(new Set([9]), new Set(['tag:b']), lines)]).toEqual([9, 2]);
  });

  test('why a channel is off is read from its notes, and broken notes say nothing', () => {
    expect(statusInfoOf('{"status_reason":"401 from upstream","status_time":1700000000}')).toEqual({
      reason: '401 from upstream',
      at: 1_700_000_000,
    });
    for (const broken of ['', '{', 'null', '{"status_time":"soon"}'])
      expect(statusInfoOf(broken)).toEqual({ reason: '', at: 0 });
  });
});

describe('editing a tag', () => {
  const own = [channel({ models: 'a,b' }), channel({ models: 'a,b', group: 'vip' })];

  test('starts with what its channels have alike, and sends what differs from that', () => {
    const before = tagValuesOf('team', own);
    expect(before).toMatchObject({ new_tag: 'team', models: ['a', 'b'], groups: [] });
    expect(tagChanges(before, before)).toBeUndefined();
    expect(tagChanges({ ...before, new_tag: ' crew ', groups: ['vip'] }, before)).toEqual({
      new_tag: 'crew',
      groups: 'vip',
    });
  });

  test('clearing a field keeps the stored value', () => {
    const before = tagValuesOf('team', own);
    expect(tagChanges({ ...before, models: [], new_tag: '' }, before)).toBeUndefined();
  });
});

describe('models of the upstream', () => {
  test('are told apart as new, existing and gone, and nothing changes unasked', () => {
    const diff = diffOf(['a', 'b'], ['b', 'c', 'c']);
    expect(diff).toEqual({ fresh: ['c'], both: ['b'], gone: ['a'] });
    expect([...firstChoice(diff)]).toEqual(['b', 'a']);
    expect([...firstChoice(diffOf([], ['c']))]).toEqual(['c']);
  });

  test('what was kept in the browser is used only where it is a map of lists', () => {
    expect(keptModels('{"1":["gpt-4o"],"2":"x","3":[1]}')).toEqual({ '1': ['gpt-4o'] });
    for (const broken of ['', '[]', 'null', '{']) expect(keptModels(broken)).toEqual({});
  });
});

describe('channel tests', () => {
  test('run so many at a time, and not at all after they were stopped', async () => {
    const stop = new AbortController();
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    await inParallel([1, 2, 3, 4, 5, 6, 7], { width: 3, signal: stop.signal }, async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      if (item === 4) stop.abort();
      running -= 1;
    });
    expect(most).toBe(3);
    expect(begun.length).toBeLessThan(7);
  });

  test('are summed up as good, failed and the median of the good', () => {
    const done = (success: boolean, time_ms: number) => ({
      state: 'done' as const,
      probe: {
        channel_id: 1,
        channel_name: '',
        model: '',
        success,
        message: '',
        status_code: 200,
        time: 0,
        time_ms,
        first_token_ms: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        answer: '',
      },
    });
    const summary = testSummary(
      new Map<string, ModelTest>([
        ['a', done(true, 900)],
        ['b', done(true, 100)],
        ['c', done(true, 300)],
        ['d', done(false, 5)],
        ['e', { state: 'refused' as const, problem: undefined }],
        ['f', { state: 'stopped' as const }],
      ]),
    );
    expect(summary).toEqual({ ok: 3, failed: 2, medianMs: 300, working: ['a', 'b', 'c'] });
  });

  test('of all channels come as events, wherever the stream is cut', async () => {
    async function* pieces() {
      yield 'event: result\ndata: {"a"';
      yield ':1}\n';
      yield '\n: still testing\n\nevent: end\ndata: null\n\nevent: cut';
    }
    const events: unknown[] = [];
    for await (const event of serverEvents(pieces())) events.push(event);
    expect(events).toEqual([
      { name: 'result', data: '{"a":1}' },
      { name: 'end', data: 'null' },
    ]);
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
    asked: 'eu/gpt-4o',
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
  const found = (typed: string) =>
    CHANNEL_TYPE_LIST.filter(({ type }) => isMeantBy(type, typed)).map(({ name }) => name);
  expect(found('kimi')).toEqual(['Moonshot']);
  expect(found(' Bedrock ')).toEqual(['AWS Claude']);
  expect(found('azure')).toEqual(['Azure OpenAI']);
  expect(found('')).toHaveLength(CHANNEL_TYPE_LIST.length);
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

test('every type with a key of its own form, or something to know, says so in the editor', () => {
  const said = Object.keys(texts).filter((key) => key.startsWith('channel.note.'));
  const remarkable = PROVIDERS.map(providerFacts).filter(
    ({ note, keyForm, variants }) => `${note}${keyForm}${variants.join()}` !== '',
  );
  expect(remarkable.filter(({ slug }) => !said.includes(`channel.note.${slug}`))).toEqual([]);
  const slugs = new Set(PROVIDERS.map(({ slug }) => slug));
  expect(said.filter((key) => !slugs.has(key.replace('channel.note.', '')))).toEqual([]);
});

const BEATS = {
  '+': { isOk: true, isTest: false },
  '-': { isOk: false, isTest: false },
  T: { isOk: true, isTest: true },
  F: { isOk: false, isTest: true },
} as const;

test.each([
  ['', false, false],
  ['---', true, false],
  ['+--', false, false],
  ['TF', true, true],
  ['F+', false, true],
  ['FT-', false, false],
  ['+-F-', true, true],
] as const)('outcomes %j: failing %s, latest test failed %s', (outcomes, isFailing, hasFailed) => {
  const checks = [...outcomes].map((sign, at) => ({
    ...BEATS[sign as keyof typeof BEATS], // the signs of the rows above
    at,
    ms: 2,
  }));
  expect(failureOf(checks) !== undefined).toBe(isFailing);
  expect(failedTestOf(checks) !== undefined).toBe(hasFailed);
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
