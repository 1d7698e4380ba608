import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../src/domain/errors/errors.ts';
import { buildRequest } from '../../src/providers/requests/openai-request.ts';
import type { ProviderEndpoint } from '../../src/providers/rows/provider-row.ts';
import { providerOf } from '../../src/providers/rows/provider-rows.ts';
import type { RequestPlan } from '../../src/providers/transports/transport.ts';

function plan(type: number, baseUrl = '', extra: Partial<RequestPlan> = {}): RequestPlan {
  return {
    provider: providerOf(type),
    baseUrl,
    key: 'k-1',
    endpoint: 'chat',
    model: 'm',
    ...extra,
  };
}

function address(type: number, baseUrl = '', extra: Partial<RequestPlan> = {}): string {
  const { url } = buildRequest(plan(type, baseUrl, extra));
  return url.origin + url.path;
}

function refusal(work: () => unknown): ErrorCode | 'accepted' {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code;
  }
}

test.each([
  [1, 'https://api.openai.com/v1/chat/completions'],
  [4, 'http://localhost:11434/v1/chat/completions'],
  [16, 'https://open.bigmodel.cn/api/paas/v4/chat/completions'],
  [17, 'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions'],
  [20, 'https://openrouter.ai/api/v1/chat/completions'],
  [27, 'https://api.perplexity.ai/chat/completions'],
  [34, 'https://api.cohere.ai/v2/chat'],
  [45, 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
  [46, 'https://qianfan.baidubce.com/v2/chat/completions'],
  [49, 'https://models.github.ai/inference/chat/completions'],
  [1001, 'https://api.groq.com/openai/v1/chat/completions'],
  [1005, 'https://api.deepinfra.com/v1/openai/chat/completions'],
])('type %i is called at %s', (type, expected) => {
  expect(address(type)).toBe(expected);
});

test.each([
  [1, 'https://x.test', 'https://x.test/v1/chat/completions'],
  [1, 'https://x.test/', 'https://x.test/v1/chat/completions'],
  [1, 'https://x.test/v1', 'https://x.test/v1/chat/completions'],
  [1, 'https://x.test/proxy/v1/', 'https://x.test/proxy/v1/chat/completions'],
  [1, 'https://x.test/openai/v1', 'https://x.test/openai/v1/chat/completions'],
  [1, 'https://x.test/api/v2', 'https://x.test/api/v2/chat/completions'],
  [1, 'https://x.test/v1beta/openai', 'https://x.test/v1beta/openai/v1/chat/completions'],
  [1, 'https://x.test/v1/chat/completions', 'https://x.test/v1/chat/completions'],
  [1, 'https://x.test/v1?tenant=7', 'https://x.test/v1/chat/completions?tenant=7'],
  [
    16,
    'https://open.bigmodel.cn/api/paas/v4',
    'https://open.bigmodel.cn/api/paas/v4/chat/completions',
  ],
  [
    16,
    'https://open.bigmodel.cn/api/coding/paas/v4',
    'https://open.bigmodel.cn/api/coding/paas/v4/chat/completions',
  ],
  [17, 'https://x.test/compatible-mode/v1', 'https://x.test/compatible-mode/v1/chat/completions'],
  [45, 'https://x.test/api/coding/v3', 'https://x.test/api/coding/v3/chat/completions'],
  [49, 'https://models.github.ai/inference', 'https://models.github.ai/inference/chat/completions'],
  [
    1005,
    'https://api.deepinfra.com/v1/openai/',
    'https://api.deepinfra.com/v1/openai/chat/completions',
  ],
])('type %i with the base URL %s is called at %s', (type, baseUrl, expected) => {
  expect(address(type, baseUrl)).toBe(expected);
});

test('a Cloudflare AI Gateway replaces the root of the provider behind it', () => {
  const gateway = 'https://gateway.ai.cloudflare.com/v1/acct/gw';
  expect(address(1, `${gateway}/openai`)).toBe(`${gateway}/openai/chat/completions`);
  expect(address(3, `${gateway}/azure-openai/res`, { model: 'dep' })).toBe(
    `${gateway}/azure-openai/res/dep/chat/completions?api-version=2024-10-21`,
  );
});

test('a custom channel is called at its own address only', () => {
  const full = 'https://x.test/{model}/run?v=2';
  expect(address(8, full, { model: 'a/b c' })).toBe('https://x.test/a%2Fb%20c/run?v=2');
  expect(refusal(() => address(8, full, { endpoint: 'embeddings' }))).toBe('endpoint_unsupported');
});

test('Azure uses the API version of client, channel, or the last stable one', () => {
  const base = 'https://res.openai.azure.com';
  const at = (version: string) =>
    `${base}/openai/deployments/gpt-4.1/chat/completions?api-version=${version}`;
  const model = 'gpt-4.1';
  expect(address(3, base, { model })).toBe(at('2024-10-21'));
  expect(address(3, base, { model, other: '2025-01-01-preview' })).toBe(at('2025-01-01-preview'));
  const clientQuery = { 'api-version': '2025-03-01-preview' };
  expect(address(3, base, { model, other: '2025-01-01-preview', clientQuery })).toBe(
    at('2025-03-01-preview'),
  );
});

test('Azure without an API version uses the undated API, with the model in the body', () => {
  const base = 'https://res.openai.azure.com';
  expect(address(3, base, { other: 'v1' })).toBe(`${base}/openai/v1/chat/completions`);
  expect(address(3, base, { other: 'latest' })).toBe(`${base}/openai/v1/chat/completions`);
  expect(address(3, base, { other: 'preview' })).toBe(
    `${base}/openai/v1/chat/completions?api-version=preview`,
  );
  expect(address(3, `${base}/openai/v1/`)).toBe(`${base}/openai/v1/chat/completions`);
  expect(address(3, base, { endpoint: 'models' })).toBe(`${base}/openai/v1/models`);
  expect(address(3, base, { endpoint: 'responses' })).toBe(
    `${base}/openai/responses?api-version=2024-10-21`,
  );
});

test('Azure deployments of old channels have no dots in their names', () => {
  const base = 'https://res.openai.azure.com';
  const old = Date.UTC(2025, 4, 9) / 1000;
  const deployment = (channelCreatedAtSec: number) =>
    address(3, base, { model: 'gpt-3.5-turbo', channelCreatedAtSec }).split('/')[5];
  expect(deployment(old)).toBe('gpt-35-turbo');
  expect(deployment(old + 86_400)).toBe('gpt-3.5-turbo');
  expect(deployment(0)).toBe('gpt-3.5-turbo');
});

test('bots of Volcengine have their own path', () => {
  expect(address(45, '', { model: 'bot-2026' })).toContain('/api/v3/bots/chat/completions');
  expect(address(45, '', { model: 'bot-2026', endpoint: 'embeddings' })).toContain(
    '/api/v3/embeddings',
  );
});

test('Workers AI is called under the account, which must be known', () => {
  const expected = 'https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions';
  expect(address(39, '', { other: 'acc' })).toBe(expected);
  expect(address(39, 'https://api.cloudflare.com/client/v4/accounts/acc/ai/v1')).toBe(expected);
  expect(address(39, 'https://api.cloudflare.com/client/v4/accounts/acc')).toBe(expected);
  expect(refusal(() => address(39))).toBe('channel_unusable');
});

test('encodes a path tail as one segment, before the query', () => {
  expect(address(1, '', { endpoint: 'models', pathTail: ['a/b'] })).toBe(
    'https://api.openai.com/v1/models/a%2Fb',
  );
  expect(address(34, '', { endpoint: 'models', pathTail: ['x'] })).toBe(
    'https://api.cohere.ai/v1/models/x?page_size=1000',
  );
});

test('gets the list of models, and posts everything else as JSON', () => {
  const list = buildRequest(plan(1, '', { endpoint: 'models' }));
  expect([list.method, list.headers]).toEqual(['GET', { authorization: 'Bearer k-1' }]);
  expect(buildRequest(plan(1)).method).toBe('POST');
  expect(buildRequest(plan(1)).headers['content-type']).toBe('application/json');
});

test('each provider gets the key in its own header', () => {
  expect(buildRequest(plan(3, 'https://x.test')).headers).toMatchObject({ 'api-key': 'k-1' });
  expect(buildRequest(plan(43)).headers.authorization).toBe('Bearer k-1');
});

test('a key is optional only if the provider works without one', () => {
  expect(buildRequest(plan(4, '', { key: '' })).headers).not.toHaveProperty('authorization');
  expect(refusal(() => buildRequest(plan(1, '', { key: '' })))).toBe('channel_unusable');
});

test('refuses a key that would break the header, without showing it', () => {
  for (const key of ['sk-1\nsk-2', 'sk-1\r\nx-evil: 1', 'sk-密钥', 'sk-\u0000', '\t']) {
    const work = () => buildRequest(plan(1, '', { key }));
    expect(refusal(work), JSON.stringify(key)).toBe('channel_unusable');
    expect(work).not.toThrow(key);
  }
});

test('sends organization, plugin and site address only to providers that read them', () => {
  const extra = { organization: 'org-1', other: 'plug', siteUrl: 'https://gw.test' };
  expect(buildRequest(plan(1, '', extra)).headers).toMatchObject({
    'openai-organization': 'org-1',
  });
  expect(buildRequest(plan(1, '', extra)).headers).not.toHaveProperty('http-referer');
  expect(buildRequest(plan(17, '', extra)).headers['x-dashscope-plugin']).toBe('plug');
  expect(buildRequest(plan(20, '', extra)).headers).toMatchObject({
    'http-referer': 'https://gw.test',
    'x-title': 'AI Model Gateway',
  });
});

test('an invalid address makes the channel unusable', () => {
  for (const baseUrl of ['not a url', 'ftp://x.test', 'javascript:alert(1)']) {
    expect(refusal(() => address(1, baseUrl))).toBe('channel_unusable');
  }
  expect(refusal(() => address(47))).toBe('channel_unusable');
});

test('an endpoint a provider does not have is refused before the call', () => {
  const missing: readonly (readonly [number, ProviderEndpoint])[] = [
    [27, 'embeddings'],
    [44, 'chat'],
    [38, 'chat'],
    [3, 'moderations'],
  ];
  for (const [type, endpoint] of missing) {
    expect(refusal(() => address(type, 'https://x.test', { endpoint }))).toBe(
      'endpoint_unsupported',
    );
  }
});
