/**
 * Tests every channel type: supported endpoints are called, whole and streamed; unsupported ones
 * must be refused with a message. A newly added type is included automatically.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { offersEndpoint } from '../../../src/providers/requests/openai-request.ts';
import type { ProviderEndpoint, ProviderRow } from '../../../src/providers/rows/provider-row.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import { AWS_KEY, aCloudUpstream } from '../../support/cloud-credentials.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR, UPSTREAM_KEY } from '../../support/site.ts';
import { fakeTaskUpstream, TASK_KEY } from '../tasks/fake-task-upstream.ts';

interface Special {
  readonly key?: string;
  readonly other?: string;
  /** Relative to the upstream's root. */
  readonly path?: string;
  /** The upstream reports no usage, or no meaningful one. */
  readonly countsNothing?: true;
  /** Units that it charges for each call. */
  readonly fee?: number;
}

const { upstream, account, tokenUrl } = await aCloudUpstream();

const SPECIAL: Readonly<Record<string, () => Special>> = {
  azure: () => ({ other: '2024-10-21' }),
  custom: () => ({ path: '/v1/chat/completions' }),
  baidu: () => ({ key: `ak-1|${UPSTREAM_KEY}` }),
  'aiproxy-library': () => ({ other: 'fake-library', countsNothing: true }),
  fastgpt: () => ({ countsNothing: true }),
  aws: () => ({ key: AWS_KEY }),
  jina: () => ({ path: '/jina' }),
  m3e: () => ({ path: '/m3e' }),
  voyage: () => ({ path: '/voyage' }),
  cloudflare: () => ({ other: 'acct' }),
  vertex: () => ({ key: account, other: 'us-central1' }),
  coze: () => ({ other: 'fake-bot' }),
  // It searches for each call.
  perplexity: () => ({ fee: 3_000 }),
};

const USD = 0.02;
const nameOf = ({ slug }: ProviderRow) => `walk-${slug}`;

const tasks = await fakeTaskUpstream();
const site = await sharedSite({ upstream, config: { googleTokenUrl: tokenUrl } });
const names = PROVIDERS.map(nameOf);
const all = (value: number) => Object.fromEntries(names.map((name) => [name, value]));
await site.option('ModelRatio', all(1));
await site.option('CompletionRatio', all(1));
await site.option('ModelPrice', { [nameOf(rowOf('replicate'))]: USD });
afterAll(() => tasks.close());

function rowOf(slug: string): ProviderRow {
  const row = PROVIDERS.find((one) => one.slug === slug);
  if (row === undefined) throw new Error(`no type ${slug}`);
  return row;
}

const offers = (row: ProviderRow, endpoint: ProviderEndpoint) => offersEndpoint(row, endpoint);
const CHATS = PROVIDERS.filter((row) => offers(row, 'chat'));
const OTHERS = PROVIDERS.filter((row) => row.supported && !CHATS.includes(row));
const TASKS = OTHERS.filter(({ family }) => family === 'task');
const ENDPOINTS = OTHERS.filter((row) => !TASKS.includes(row));

/** A channel of this type that points to the fake upstream, with the path of the real one. */
async function channelOf(row: ProviderRow): Promise<number> {
  const { key = UPSTREAM_KEY, other = '', path } = SPECIAL[row.slug]?.() ?? {};
  const below = row.baseUrl === '' ? '' : new URL(row.baseUrl).pathname.replace(/\/$/, '');
  const isTask = row.family === 'task';
  const [model = 'app'] = row.models;
  const name = isTask ? model : nameOf(row);
  const { id } = await site.addChannel({
    type: row.type,
    key: isTask ? TASK_KEY : key,
    other,
    base_url: (isTask ? tasks.url : upstream.url) + (path ?? below),
    models: name,
    ...(isTask ? {} : { model_mapping: JSON.stringify({ [name]: model }) }),
  });
  return id;
}

describe.each(CHATS)('$slug', (row) => {
  let id = 0;
  beforeAll(async () => {
    id = await channelOf(row);
  });

  test.each([false, true])('answers with usage and charges it, stream %s', async (stream) => {
    // An upstream that reports usage by default is not sent the usage option.
    if (stream && row.family === 'openai' && row.streamUsage === 'always')
      upstream.setDefault({ usage: 'on-choice' });
    const messages = [{ role: 'user', content: 'Grüße 🙂' }];
    const answer = await site.call({ body: { model: nameOf(row), messages, stream } });
    expect(answer.status, answer.text).toBe(200);
    expect(textIn(answer.text, stream)).toContain('Grüße 🙂');
    await site.settled();
    const log = await site.logOf(answer.requestId);
    const { countsNothing, fee = 0 } = SPECIAL[row.slug]?.() ?? {};
    const isCounted = countsNothing !== true;
    expect(log).toMatchObject({
      channel_id: id,
      model_name: nameOf(row),
      usage_source: isCounted ? 'upstream' : 'estimated',
      quota: (log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0) + fee,
    });
    if (isCounted) {
      const reported = upstream.stats.reportedByRequest.get(answer.requestId);
      expect([log?.prompt_tokens, log?.completion_tokens]).toEqual([
        reported?.prompt_tokens,
        reported?.completion_tokens,
      ]);
    }
  });

  test('passes its channel test, and lists models and balance or reports that it cannot', async () => {
    await expectProbeAndModelList(row, id);
  });
});

describe.each(ENDPOINTS)('$slug, without chats', (row) => {
  test('answers on an endpoint it offers and charges the price', async () => {
    const id = await channelOf(row);
    const isDrawn = offers(row, 'images');
    const answer = await site.call(
      isDrawn
        ? { path: '/v1/images/generations', body: { model: nameOf(row), prompt: 'a fox' } }
        : { path: '/v1/embeddings', body: { model: nameOf(row), input: 'a fox' } },
    );
    expect(answer.status, answer.text).toBe(200);
    expect(JSON.parse(answer.text).data).toHaveLength(1);
    await site.settled();
    const log = await site.logOf(answer.requestId);
    expect(log?.quota).toBe(isDrawn ? USD * 500_000 : log?.prompt_tokens);
    expect(log?.quota).toBeGreaterThan(0);
    await expectProbeAndModelList(row, id);
    const chat = { model: nameOf(row), messages: [{ role: 'user', content: 'Hi' }] };
    const refused = await site.call({ body: chat });
    expect(JSON.parse(refused.text).error.code).toBe('endpoint_not_supported');
  });
});

test.each(TASKS)(
  '$slug, a task provider, passes its channel test and has no model list',
  async (row) => {
    await expectProbeAndModelList(row, await channelOf(row));
  },
);

test.each(PROVIDERS.filter(({ supported }) => !supported))(
  '$slug is refused as unsupported with the type to use instead',
  async (row) => {
    const id = await channelOf(row);
    const messages = [{ role: 'user', content: 'Hi' }];
    const answer = await site.call({ body: { model: nameOf(row), messages } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({
      code: 'provider_retired',
      message: expect.stringMatching(/cannot be called: [a-z].+; use /),
    });
    await expect(site.as(OPERATOR).probe.test({ id })).rejects.toMatchObject({
      code: 'provider_retired',
    });
  },
);

async function expectProbeAndModelList(row: ProviderRow, id: number): Promise<void> {
  const api = site.as(OPERATOR);
  expect(await api.probe.test({ id })).toMatchObject({ success: true, message: '' });
  const models = api.channelModel.fetch({ id });
  if (offers(row, 'models')) expect(await models).not.toEqual([]);
  else await expect(models).rejects.toMatchObject({ code: 'models_unlisted' });
  // One balance API is at an address that no channel can change.
  if (row.balance?.baseUrl !== undefined) return;
  const balance = api.channelBalance.update({ id });
  if (row.balance !== undefined) expect(await balance).toMatchObject({ balance: 75 });
  else await expect(balance).rejects.toMatchObject({ code: 'balance_unsupported' });
}

function textIn(text: string, stream: boolean): string {
  if (!stream) return JSON.parse(text).choices[0].message.content;
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '')
    .join('');
}
