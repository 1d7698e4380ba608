/**
 * Bedrock, Vertex and Azure through the whole server: the requests, the effect of a wrong key, and
 * failures of their own protocols. `dialects.test.ts` covers every client dialect over each.
 */
import { describe, expect, test } from 'vitest';
import { PNG } from '../../dialects/hub/requests.ts';
import { eventsIn } from '../../dialects/hub/streams.ts';
import {
  AWS_KEY,
  AWS_SESSION_KEY,
  aCloudUpstream,
  BEDROCK_API_KEY,
  serviceAccount,
} from '../../support/cloud-credentials.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually, OPERATOR, UPSTREAM_KEY } from '../../support/site.ts';
import type { FakeUpstream } from '../../upstream/server.ts';
import { rawUpstream } from '../raw-upstream.ts';
import { setPrice } from '../tenant.ts';

const BEDROCK = 33;
const VERTEX = 41;
const AZURE = 3;
const CLAUDE = 'claude-sonnet-4-5';

const { upstream: cloud, account, tokenUrl: googleTokenUrl } = await aCloudUpstream();
const config = {
  googleTokenUrl,
  azureApiVersion: '2025-01-01-preview',
  egressAllow: '127.0.0.1',
};
const site = await sharedSite({ upstream: cloud, config });
await site.option('RetryTimes', 1);
await site.option('AutomaticDisableChannelEnabled', true);

let count = 0;

/** A separate model served by a channel of this type. */
async function served(fields: {
  readonly type: number;
  readonly model: string;
  readonly key?: string;
  readonly other?: string;
  readonly name?: string;
  readonly upstream?: FakeUpstream;
  readonly priority?: number;
}) {
  count += 1;
  const { model, name = `cloud-${count}`, ...rest } = fields;
  await setPrice(site, name, { ratio: '1', completion: '1' });
  const mapping = { models: name, model_mapping: JSON.stringify({ [name]: model }) };
  const channel = await site.addChannel({ ...rest, ...mapping });
  return { name, id: channel.id };
}

function messages(model: string, extra: object = {}) {
  const content = 'Hello there, you';
  return {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'context-1m-2025-08-07,odd-1' },
    body: { model, max_tokens: 100, messages: [{ role: 'user', content }], ...extra },
  };
}

function chat(model: string, extra: object = {}) {
  return { body: { model, messages: [{ role: 'user', content: 'Hello there, you' }], ...extra } };
}

const calls = () => cloud.requests.filter(({ path }) => path !== '/token');
const lastSent = () => {
  const call = calls().at(-1);
  return { ...call, json: JSON.parse(call?.body ?? '{}') };
};

describe('Claude on Bedrock', () => {
  test('receives the Anthropic body in the Bedrock envelope', async () => {
    const { name } = await served({ type: BEDROCK, model: CLAUDE, key: AWS_KEY });
    const body = { service_tier: 'auto', top_k: 3, stream: true };
    const answer = await site.call(messages(name, body));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toMatch(/^event: message_start\ndata: /);
    expect(answer.text).toMatch(/event: message_stop\ndata: {"type":"message_stop"}\n\n$/);
    const { path, headers, json } = lastSent();
    expect(path).toBe(
      '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
    );
    expect(headers?.['anthropic-version']).toBe(undefined);
    expect(headers?.['anthropic-beta']).toBe(undefined);
    expect(headers?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAFAKEFAKE\//);
    expect(json).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-1m-2025-08-07'],
      max_tokens: 100,
      top_k: 3,
      messages: [{ role: 'user', content: 'Hello there, you' }],
    });
  });

  test.each([
    ['Claude on Bedrock', { type: BEDROCK, model: CLAUDE, key: AWS_KEY }],
    ['Claude on Vertex', { type: VERTEX, model: CLAUDE, other: 'global' }],
    ['Converse', { type: BEDROCK, model: 'nova-pro', key: AWS_KEY }],
  ])('%s sends images as bytes, even if the client gives their address', async (_what, fields) => {
    const raw = await rawUpstream();
    raw.answer = (response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(PNG, 'base64'));
    const { name } = await served({ key: account, ...fields });
    const url = `${raw.url}/a.png`;
    const image = { type: 'image', source: { type: 'url', url } };
    const part = { type: 'image_url', image_url: { url } };
    const requested = [
      messages(name, { messages: [{ role: 'user', content: [image] }] }),
      chat(name, { messages: [{ role: 'user', content: [part] }] }),
    ];
    for (const call of requested) {
      const answer = await site.call(call);
      expect(answer.status, answer.text).toBe(200);
      expect(lastSent().body).toContain(PNG);
      expect(lastSent().body).not.toContain(raw.url);
    }
    expect(raw.requests).toHaveLength(2);
    await raw.close();
  });

  test.each([
    ['session credentials', AWS_SESSION_KEY],
    ['an API key', BEDROCK_API_KEY],
  ])('accepts %s', async (_what, key) => {
    const { name } = await served({ type: BEDROCK, model: CLAUDE, key });
    expect((await site.call(messages(name))).status).toBe(200);
  });
});

describe('a key refused by a cloud', () => {
  test('of AWS is disabled, and no part of it is disclosed', async () => {
    const wrong = 'AKIAGONEGONE|long-secret-of-mine|us-east-1';
    const { name, id } = await served({ type: BEDROCK, model: CLAUDE, key: wrong });
    const answer = await site.call(chat(name));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('security token included in the request is invalid');
    for (const part of wrong.split('|').slice(0, 2)) expect(answer.text).not.toContain(part);
    await eventually('the channel is off', async () => {
      const channel = await site.as(OPERATOR).channel.get({ id });
      return channel.status === 3 && channel;
    });
  });

  test('of AWS is removed from errors that repeat parts of it', async () => {
    const { name } = await served({ type: BEDROCK, model: CLAUDE, key: AWS_SESSION_KEY });
    const [accessKey = '', secret = '', token = ''] = AWS_SESSION_KEY.split('|');
    const message = `The Canonical String was x-amz-security-token:${token} of ${accessKey} ${secret}`;
    cloud.script({ refuse: { status: 400, style: 'aws', message } });
    const { status, text } = await site.call(chat(name));
    expect([status, text.includes('The Canonical String was')]).toEqual([400, true]);
    for (const part of [accessKey, secret, token]) expect(text).not.toContain(part);
  });

  test('of AWS with a wrong secret is not accepted', async () => {
    const wrong = AWS_KEY.replace('secret/', 'Secret/');
    const { name } = await served({ type: BEDROCK, model: 'nova-pro', key: wrong });
    const answer = await site.call(chat(name));
    expect([answer.status, JSON.parse(answer.text).error.type]).toEqual([
      403,
      'InvalidSignatureException',
    ]);
  });

  test('of Google causes a fallback to another channel, and no part of it is disclosed', async () => {
    const stranger = serviceAccount('project-9');
    const gemini = { type: VERTEX, model: 'gemini-3.8-flash', other: 'global' };
    const { name, id } = await served({ ...gemini, key: stranger, priority: 5 });
    await served({ ...gemini, name, key: account });
    const answer = await site.call(chat(name));
    expect(answer.status, answer.text).toBe(200);
    await eventually('the key is off', async () => {
      const channel = await site.as(OPERATOR).channel.get({ id });
      const [key] = channel.keys;
      return key?.status === 3 && key.reason.includes('invalid_grant') && key;
    });
    const alone = await served({ ...gemini, key: serviceAccount('project-8') });
    const refused = await site.call(chat(alone.name));
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('Google refused the service account: invalid_grant');
    expect(refused.text).not.toContain('PRIVATE KEY');
    expect(refused.text).not.toContain('project-8');
  });
});

describe('a service account', () => {
  test('fetches one token for many calls and sends it with each call', async () => {
    const own = await aCloudUpstream();
    // Access tokens are cached per token endpoint; this one has not issued any yet.
    const other = await aSite({ upstream: own.upstream, config: { googleTokenUrl: own.tokenUrl } });
    try {
      await setPrice(other, 'many', { ratio: '1', completion: '1' });
      const mapping = { models: 'many', model_mapping: '{"many":"gemini-3.8-flash"}' };
      await other.addChannel({ type: VERTEX, other: 'us-central1', ...mapping, key: own.account });
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => other.call(chat('many', { stream: true }))),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(own.upstream.stats.byEndpoint).toMatchObject({ token: 1, generate: 8 });
    } finally {
      await other.close();
    }
  });

  test('calls the region of the model', async () => {
    const other = JSON.stringify({ default: 'europe-west1', 'in-ohio': 'us-east5' });
    const { name } = await served({ type: VERTEX, model: CLAUDE, key: account, other });
    await served({ type: VERTEX, model: CLAUDE, key: account, other, name: 'in-ohio' });
    for (const model of [name, 'in-ohio'])
      expect((await site.call(messages(model))).status).toBe(200);
    expect(calls().map(({ path }) => /locations\/([^/]+)/.exec(path)?.[1])).toEqual([
      'europe-west1',
      'us-east5',
    ]);
    expect(lastSent().headers?.['anthropic-beta']).toBe('context-1m-2025-08-07');
  });
});

describe('an AWS event stream', () => {
  const KINDS = [
    ['Claude', CLAUDE],
    ['Converse', 'nova-pro'],
  ] as const;

  test.each(KINDS)(
    'of %s with a wrong checksum is retried on another channel',
    async (_what, model) => {
      const { name } = await served({ type: BEDROCK, model, key: AWS_KEY, priority: 5 });
      await served({ type: BEDROCK, model, key: BEDROCK_API_KEY, name });
      cloud.script({ fault: { ending: 'garbage', after: 0 } });
      const answer = await site.call(chat(name, { stream: true }));
      expect(eventsIn('chat', answer.text).at(-1)).toMatchObject({ kind: 'finish' });
      expect(calls()).toHaveLength(2);
    },
  );

  test.each(KINDS)('of %s that breaks later ends with an error', async (_what, model) => {
    const { name } = await served({ type: BEDROCK, model, key: AWS_KEY });
    for (const ending of ['garbage', 'truncate', 'error'] as const) {
      cloud.script({ events: 12, fault: { ending, after: 9 } });
      const { status, text } = await site.call(messages(name, { stream: true }));
      expect(status).toBe(200);
      expect(eventsIn('anthropic', text).at(-1), ending).toMatchObject({ kind: 'error' });
      expect(text, ending).not.toContain('message_stop');
      expect((await site.call(messages(name))).status).toBe(200);
    }
  });

  test.each(KINDS)(
    'of %s that begins with an exception returns the status of the exception',
    async (_what, model) => {
      const { name } = await served({ type: BEDROCK, model, key: AWS_KEY });
      cloud.script({ fault: { ending: 'error', after: 0 } });
      const answer = await site.call(chat(name, { stream: true }));
      expect(answer.status).toBe(429);
      await site.settled();
      expect(await site.logOf(answer.requestId)).toBe(undefined);
    },
  );
});

describe('Azure', () => {
  test('uses the API version of the client, the channel or the installation', async () => {
    const model = 'gpt-4o-mini';
    const { name } = await served({ type: AZURE, model });
    const { name: dated } = await served({ type: AZURE, model, other: '2024-10-21' });
    const versions = [];
    for (const [requested, query] of [
      [name, ''],
      [dated, ''],
      [dated, '?api-version=2025-04-01-preview'],
    ]) {
      const path = `/v1/chat/completions${query}`;
      expect((await site.call({ path, ...chat(requested ?? '') })).status).toBe(200);
      versions.push(/api-version=(.*)$/.exec(lastSent().path ?? '')?.[1]);
    }
    expect(versions).toEqual(['2025-01-01-preview', '2024-10-21', '2025-04-01-preview']);
    expect(lastSent().headers?.['api-key']).toBe(UPSTREAM_KEY);
  });

  test('hides content filter reports from clients of other dialects, and reports refusals', async () => {
    const { name } = await served({ type: AZURE, model: 'gpt-4o-mini', other: '2024-10-21' });
    cloud.script({ asyncFilter: true });
    const streamed = await site.call(messages(name, { stream: true }));
    expect(streamed.status).toBe(200);
    expect(streamed.text).not.toContain('content_filter');
    cloud.script('azure-filter');
    const refused = await site.call(messages(name));
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text).error.type).toBe('invalid_request_error');
  });
});

describe('cloud channels', () => {
  const KINDS = [
    ['Claude on Bedrock', { type: BEDROCK, model: CLAUDE, key: AWS_KEY }],
    ['Converse', { type: BEDROCK, model: 'nova-pro', key: AWS_SESSION_KEY }],
    ['Gemini on Vertex', { type: VERTEX, model: 'gemini-3.8-flash', other: 'global' }],
    ['Claude on Vertex', { type: VERTEX, model: CLAUDE, other: 'us-east5' }],
    ['Llama on Vertex', { type: VERTEX, model: 'meta/llama-4', other: 'us-east5' }],
    ['Azure', { type: AZURE, model: 'gpt-4o-mini', key: UPSTREAM_KEY }],
  ] as const;

  test.each(KINDS)('%s can be tested, whole and streamed', async (_what, fields) => {
    const { id } = await served({ key: account, ...fields });
    for (const stream of [false, true]) {
      const result = await site.as(OPERATOR).probe.test({ id, stream });
      expect(result).toMatchObject({ success: true, message: '', status_code: 200 });
      expect(result.completion_tokens).toBeGreaterThan(0);
      expect(result.answer).not.toBe('');
    }
  });

  test('report problems with a service account in a test', async () => {
    const key = serviceAccount('project-7');
    const { id } = await served({ type: VERTEX, model: CLAUDE, key, other: 'global' });
    const result = await site.as(OPERATOR).probe.test({ id });
    expect(result.success).toBe(false);
    expect(result.message).toContain('invalid_grant: Invalid JWT Signature.');
  });

  test.each([
    [BEDROCK, AWS_KEY, ['amazon.nova-lite-v1:0', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0']],
    [VERTEX, '', ['gemini-3.8-flash', 'claude-sonnet-5-5']],
  ])(
    'of type %i list the models of a stored and of an unsaved channel',
    async (type, key, names) => {
      const given = key === '' ? account : key;
      const { id } = await served({ type, model: CLAUDE, key: given, other: 'us-east-1' });
      const api = site.as(OPERATOR).channelModel;
      expect(await api.fetch({ id })).toEqual(names);
      const typed = { type, key: given, base_url: cloud.url, other: 'us-east-1' };
      expect(await api.fetchOf(typed)).toEqual(names);
    },
  );
});
