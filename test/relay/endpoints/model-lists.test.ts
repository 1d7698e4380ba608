import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { CHANNEL_MODELS, OPERATOR, type SiteToken } from '../../support/site.ts';
import { CHAT } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';
import { PRICE, setPrice } from '../tenant.ts';

const site = await sharedSite();

interface Model {
  readonly id: string;
  readonly owned_by: string;
  readonly [field: string]: unknown;
}

async function listed(token: SiteToken): Promise<Model[]> {
  const answer = await site.call({ key: token.key, path: '/v1/models' });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).data;
}

async function names(token: SiteToken): Promise<string[]> {
  return (await listed(token)).map((model) => model.id);
}

const ALL = CHANNEL_MODELS.split(',').sort();

describe('the list of models', () => {
  test("lists the models available to the token's group, each in the documented form", async () => {
    const answer = await site.call({ path: '/v1/models' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const { data, ...rest } = JSON.parse(answer.text);
    expect(rest).toEqual({ object: 'list', success: true });
    expect(data.map((model: Model) => model.id)).toEqual(ALL);
    expect(data[1]).toEqual({
      id: 'gpt-4o',
      object: 'model',
      created: 1_626_777_600,
      owned_by: 'openai',
      permission: [expect.objectContaining({ object: 'model_permission' })],
      root: 'gpt-4o',
      parent: null,
    });
  });

  test('is the same with a trailing slash and under /hf', async () => {
    const { text } = await site.call({ path: '/v1/models' });
    for (const path of ['/v1/models/', '/hf/v1/models', '/hf/v1/models/'])
      expect((await site.call({ path })).text).toBe(text);
  });

  test('D76 lists only the models that a limited token may use', async () => {
    const token = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    expect(await names(token)).toEqual(['gpt-4o']);
  });

  test('omits models without a price for their own or mapped name', async () => {
    await setPrice(site, 'priced-upstream', PRICE);
    const channel = await site.addChannel({
      models: 'unpriced,mapped',
      model_mapping: '{"mapped":"priced-upstream"}',
    });
    const before = await names(site.token);
    expect(before).toContain('mapped');
    expect(before).not.toContain('unpriced');
    for (const path of ['/v1/models/unpriced', '/v1beta/models/unpriced'])
      expect((await site.call({ path })).status).toBe(404);
    const answer = await site.call({ body: { ...CHAT, model: 'unpriced' } });
    expect(refusalIn(answer)).toMatchObject({ status: 400, code: 'model_price_error' });
    await setPrice(site, 'unpriced', PRICE);
    expect(await names(site.token)).toContain('unpriced');
    await site.as(OPERATOR).channel.remove({ id: channel.id });
  });

  test('uses the group of a token that has one, and is an empty list when it has no models', async () => {
    const vip = await site.addToken({ group: 'vip' });
    expect(await names(vip)).toEqual([]);
    await setPrice(site, 'only-for-vip', PRICE);
    const channel = await site.addChannel({
      group: 'vip',
      models: 'only-for-vip',
      type: 'deepseek',
    });
    expect((await listed(vip)).map(({ id, owned_by }) => [id, owned_by])).toEqual([
      ['only-for-vip', 'deepseek'],
    ]);
    await site.as(OPERATOR).channel.setStatus({ id: channel.id, status: 2 });
    expect(await names(vip)).toEqual([]);
  });

  test('shows the models of a channel with a prefix by their full name only', async () => {
    const owner = await site.addUser({ group: 'svip' });
    const token = await site.addToken({ owner });
    await site.addChannel({ group: 'svip', models: 'gpt-4o,o3', model_prefix: 'fast/' });
    expect(await names(token)).toEqual(['fast/gpt-4o', 'fast/o3']);
    const limited = await site.addToken({
      owner,
      model_limits_enabled: true,
      model_limits: 'fast/o3',
    });
    expect(await names(limited)).toEqual(['fast/o3']);
  });

  test.each([
    ['without a key', '', {}, 401, 'No API token was sent.'],
    ['with an unknown key', 'sk-unknown', {}, 401, 'This API token is not valid.'],
  ])('is refused %s', async (_case, key, headers, status, message) => {
    const answer = await site.call({ path: '/v1/models', key, headers });
    expect(refusalIn(answer)).toMatchObject({ status, message });
  });

  test("is refused to an address outside the token's allow list", async () => {
    const token = await site.addToken({ allow_ips: '203.0.113.7' });
    for (const path of ['/v1/models', '/v1/models/gpt-4o'])
      expect(refusalIn(await site.call({ path, key: token.key })).message).toBe(
        'This API token does not allow calls from your IP address.',
      );
  });
});

describe('a single model', () => {
  test('is shown as in the list, even if its name has slashes', async () => {
    await setPrice(site, 'meta/llama/4 scout', PRICE);
    await site.addChannel({ models: 'meta/llama/4 scout' });
    const list = await listed(site.token);
    for (const id of ['gpt-4o-mini', 'meta/llama/4 scout']) {
      const expected = list.find((model) => model.id === id);
      for (const path of [`/v1/models/${encodeURI(id)}`, `/hf/v1/models/${encodeURIComponent(id)}`])
        expect(JSON.parse((await site.call({ path })).text)).toEqual(expected);
    }
  });

  test.each(['no-such-model', 'gpt-4o-mini/', '%20', '__proto__'])(
    '%j answers 404 when it is unknown',
    async (name) => {
      const answer = await site.call({ path: `/v1/models/x${name}` });
      expect(refusalIn(answer)).toMatchObject({
        status: 404,
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      });
    },
  );

  test('that only other groups can use answers 404 as well', async () => {
    const limited = await site.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    const answer = await site.call({ path: '/v1/models/gpt-4o-mini', key: limited.key });
    expect(refusalIn(answer)).toMatchObject({
      status: 404,
      message: 'The model gpt-4o-mini does not exist or you do not have access to it.',
    });
  });
});

describe("in Anthropic's format", () => {
  const HEADERS = { 'anthropic-version': '2023-06-01' };

  async function page(query: string) {
    const answer = await site.call({ path: `/v1/models${query}`, headers: HEADERS });
    expect(answer.status, answer.text).toBe(200);
    return JSON.parse(answer.text);
  }

  const idsOf = ({ data }: { data: readonly Model[] }) => data.map(({ id }) => id);

  test('the list is paginated forwards and backwards', async () => {
    const ALL = await names(site.token);
    const first = await page('?limit=2');
    expect(idsOf(first)).toEqual(ALL.slice(0, 2));
    expect(first).toMatchObject({ has_more: true, first_id: ALL[0], last_id: ALL[1] });
    expect(first.data[0]).toMatchObject({ type: 'model', display_name: ALL[0] });
    const rest = await page(`?after_id=${ALL[1]}`);
    expect(idsOf(rest)).toEqual(ALL.slice(2));
    expect(rest.has_more).toBe(false);
    const back = await page(`?limit=1&before_id=${ALL[2]}`);
    expect(idsOf(back)).toEqual([ALL[1]]);
    expect(back.has_more).toBe(true);
  });

  test('is chosen by the x-api-key header alone', async () => {
    const headers = { 'x-api-key': site.token.key };
    const answer = await site.call({ path: '/v1/models', key: '', headers });
    expect(idsOf(JSON.parse(answer.text))).toEqual(await names(site.token));
    expect(JSON.parse(answer.text).has_more).toBe(false);
  });

  test('one model is shown with its known details', async () => {
    await site.addChannel({ models: 'claude-opus-5-5' });
    const path = '/v1/models/claude-opus-5-5';
    const { capabilities, ...facts } = JSON.parse(
      (await site.call({ path, headers: HEADERS })).text,
    );
    expect(facts).toMatchObject({ type: 'model', id: 'claude-opus-5-5' });
    expect(capabilities.thinking.types).toMatchObject({
      adaptive: { supported: true },
      disabled: { supported: false },
    });
  });

  test.each([
    ['?limit=0', 400, 'invalid_request_error'],
    ['?after_id=nobody', 400, 'invalid_request_error'],
    ['/nobody', 404, 'not_found_error'],
  ])('%s is refused in this format', async (tail, status, type) => {
    const answer = await site.call({ path: `/v1/models${tail}`, headers: HEADERS });
    expect([answer.status, JSON.parse(answer.text).error.type]).toEqual([status, type]);
    expect(JSON.parse(answer.text).type).toBe('error');
  });
});

describe("in Google's format", () => {
  test('the list is paginated', async () => {
    const seen: string[] = [];
    for (let token = ''; ; ) {
      const path = `/v1beta/models?pageSize=2&pageToken=${token}`;
      const { models, nextPageToken } = JSON.parse((await site.call({ path })).text);
      seen.push(...models.map((model: { name: string }) => model.name));
      if (nextPageToken === undefined) break;
      token = nextPageToken;
    }
    const names = (await listed(site.token)).map(({ id }) => `models/${id}`);
    expect(seen).toEqual(names);
  });

  test('one model is shown, and a missing one is refused in this format', async () => {
    const one = JSON.parse((await site.call({ path: '/v1beta/models/gpt-4o' })).text);
    expect(one).toMatchObject({ name: 'models/gpt-4o', baseModelId: 'gpt-4o' });
    const none = await site.call({ path: '/v1beta/models/nobody' });
    expect([none.status, JSON.parse(none.text).error.status]).toEqual([404, 'NOT_FOUND']);
    const wrong = await site.call({ path: '/v1beta/models?pageToken=xx' });
    expect([wrong.status, JSON.parse(wrong.text).error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });
});
