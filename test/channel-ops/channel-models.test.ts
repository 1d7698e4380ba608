/** Model lists read from the upstreams of stored and of unsaved channels. */
import { afterAll, expect, test } from 'vitest';
import { OPERATOR } from '../support/local-site.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { startFakeUpstream } from '../upstream/server.ts';

const KEY = 'sk-fake-upstream-key';
const site = await sharedLocalSite();
const api = site.as(OPERATOR);
const upstream = await startFakeUpstream({ keys: [KEY] });
afterAll(() => upstream.close());

const typed = (fields: object = {}) => ({ base_url: upstream.url, type: 1, key: KEY, ...fields });

test("lists the models of a channel's upstream and the differences", async () => {
  const { id } = await site.aChannel({
    base_url: upstream.url,
    key: KEY,
    models: 'gpt-4o,mine,gone,old,grok-3-mini-beta',
    model_mapping: '{"mine":"gpt-4o-mini","old":"gemini-2.0-flash"}',
  });
  const names = await api.channelModel.fetch({ id });
  expect(names).toContain('gpt-4o-mini');
  const found = await api.channelModel.compare({ id });
  expect(found.missing_upstream).toEqual(['gone', 'old', 'grok-3-mini-beta']);
  expect(found.retired).toEqual(['old', 'grok-3-mini-beta']);
  expect(found.not_listed).not.toContain('gpt-4o');
  expect(found.models).toEqual(names);
});

test('queries an unsaved channel with its first key', async () => {
  expect(await api.channelModel.fetchOf(typed({ key: `${KEY},another` }))).toContain('gpt-4o');
  await expect(api.channelModel.fetchOf(typed({ key: 'wrong' }))).rejects.toMatchObject({
    code: 'upstream_status',
    params: { status: 401 },
  });
  await expect(api.channelModel.fetchOf(typed({ type: 44 }))).rejects.toMatchObject({
    code: 'models_unlisted',
  });
});

test('only super admins can query private networks for models', async () => {
  const [root, admin] = [await site.aUser({ role: 100 }), await site.aUser({ role: 10 })];
  expect(await site.as(root.actor).channelModel.fetchOf(typed())).toContain('gpt-4o');
  const before = upstream.requests.length;
  for (const base_url of [upstream.url, 'http://169.254.169.254', 'http://[::1]:80'])
    await expect(
      site.as(admin.actor).channelModel.fetchOf(typed({ base_url })),
    ).rejects.toMatchObject({ code: 'fetch_refused' });
  expect(upstream.requests).toHaveLength(before);
});

test('the channel types say where they usually are and which models they have', async () => {
  const types = await api.channelModel.types({});
  expect(types.find(({ type }) => type === 1)).toMatchObject({
    name: 'OpenAI',
    base_url: 'https://api.openai.com',
    supported: true,
    fixed_models: false,
  });
  expect(types.find(({ slug }) => slug === 'deepseek')).toMatchObject({
    dialect: 'openai',
    endpoints: ['chat', 'completions'],
    tells_balance: true,
    lists_models: true,
    takes_messages: true,
  });
  expect(types.find(({ slug }) => slug === 'coze')).toMatchObject({
    dialect: 'coze',
    other: 'bot id',
    other_field: { is: 'botId', needed: true, choices: [] },
    address: { form: 'usual', needed: false },
    key_form: 'a personal access token, `pat_...`',
    tells_balance: false,
  });
  const fixed = types.filter(({ fixed_models }) => fixed_models).map(({ type }) => type);
  expect(fixed).toEqual([2, 5, 36]);
  expect(types.find(({ type }) => type === 36)?.models).toEqual(['suno_music', 'suno_lyrics']);
});

test('lists each model once in the catalogue', async () => {
  const ids = (await api.channelModel.catalogue({})).map((model) => model.id);
  expect(ids).toEqual(expect.arrayContaining(['gpt-4o', 'deepseek-v4-pro']));
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  [4, { other: 'native' }, '/api/tags'],
  [43, {}, '/models'],
  [26, {}, '/api/paas/v4/models'],
])('queries the models of a channel of type %i at its own path', async (type, fields, path) => {
  const { id } = await site.aChannel({ base_url: upstream.url, key: KEY, type, ...fields });
  expect(await api.channelModel.fetch({ id })).toContain('gpt-4o');
  expect(upstream.requests.at(-1)?.path).toBe(path);
});
