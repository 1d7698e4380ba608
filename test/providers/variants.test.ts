/** Variants of a provider row by key format, by `other`, and for Anthropic Messages clients. */
import { expect, test } from 'vitest';
import { buildRequest } from '../../src/providers/requests/openai-request.ts';
import { providerOf } from '../../src/providers/rows/provider-rows.ts';
import { messagesRow, variantOf } from '../../src/providers/rows/provider-variants.ts';

interface Form {
  readonly type: number;
  readonly key?: string;
  readonly other?: string;
  readonly model?: string;
  readonly baseUrl?: string;
}

function addressOf({ type, key = 'k', other = '', model = 'm', baseUrl = '' }: Form) {
  const provider = variantOf(providerOf(type), { key, other });
  const { url, headers } = buildRequest({
    provider,
    baseUrl,
    key,
    other,
    model,
    endpoint: 'chat',
    stream: false,
  });
  const { authorization, appid } = headers;
  return { family: provider.family, url: url.origin + url.path, authorization, appid };
}

const OPENAI = 'openai';

test.each([
  [
    { type: 15, key: 'a|b', model: 'ERNIE-4.0-8K' },
    'baidu',
    'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro',
    undefined,
  ],
  [
    { type: 15, key: 'a|b', model: 'ERNIE-Speed-128K' },
    'baidu',
    'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie-speed-128k',
    undefined,
  ],
  [
    { type: 15, key: 'bce-v3/ALTAK-1/2' },
    OPENAI,
    'https://qianfan.baidubce.com/v2/chat/completions',
    'Bearer bce-v3/ALTAK-1/2',
  ],
  [
    { type: 23, key: '1|AKID|secret' },
    'hunyuan',
    'https://hunyuan.tencentcloudapi.com/',
    undefined,
  ],
  [
    { type: 23, key: 'sk-1' },
    OPENAI,
    'https://api.hunyuan.cloud.tencent.com/v1/chat/completions',
    'Bearer sk-1',
  ],
  [{ type: 4, other: 'native' }, 'ollama', 'http://localhost:11434/api/chat', 'Bearer k'],
  [{ type: 4, key: '' }, OPENAI, 'http://localhost:11434/v1/chat/completions', undefined],
  [{ type: 37 }, 'dify', 'https://api.dify.ai/v1/chat-messages', 'Bearer k'],
  [{ type: 37, other: 'workflow' }, 'dify', 'https://api.dify.ai/v1/workflows/run', 'Bearer k'],
  [
    { type: 37, other: 'completion', baseUrl: 'http://dify.local/v1' },
    'dify',
    'http://dify.local/v1/completion-messages',
    'Bearer k',
  ],
  [{ type: 1013, other: 'b' }, 'coze', 'https://api.coze.cn/v3/chat', 'Bearer k'],
  [
    { type: 45, model: 'bot-1' },
    OPENAI,
    'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions',
    'Bearer k',
  ],
  [
    { type: 18, key: 'u:p', model: 'x1' },
    OPENAI,
    'https://spark-api-open.xf-yun.com/v2/chat/completions',
    'Bearer u:p',
  ],
  [
    { type: 43, baseUrl: 'https://api.deepseek.com/beta' },
    OPENAI,
    'https://api.deepseek.com/beta/chat/completions',
    'Bearer k',
  ],
  [
    { type: 49, baseUrl: 'https://models.github.ai/inference' },
    OPENAI,
    'https://models.github.ai/inference/chat/completions',
    'Bearer k',
  ],
] as const)('%j uses the dialect %s', (form, family, url, authorization) => {
  expect(addressOf(form)).toMatchObject({ family, url, authorization });
});

test('sends the second part of a Qianfan key as a header', () => {
  expect(addressOf({ type: 46, key: 'bce-v3/A/B|app-1' })).toMatchObject({
    authorization: 'Bearer bce-v3/A/B',
    appid: 'app-1',
  });
});

test('refuses three-part keys of iFlytek and names the alternative', () => {
  const row = variantOf(providerOf(18), { key: 'app|secret|key', other: 'v3.5' });
  expect(row.supported).toBe(false);
  expect(row.note).toContain('APIPassword');
});

test.each([
  [43, '', 'https://api.deepseek.com/anthropic/v1/messages'],
  [43, 'https://api.deepseek.com/v1', 'https://api.deepseek.com/anthropic/v1/messages'],
  [26, 'https://api.z.ai/api/coding/paas/v4', 'https://api.z.ai/api/anthropic/v1/messages'],
  [25, 'https://api.moonshot.ai', 'https://api.moonshot.ai/anthropic/v1/messages'],
  [35, '', 'https://api.minimaxi.com/anthropic/v1/messages'],
  [17, '', 'https://dashscope.aliyuncs.com/apps/anthropic/v1/messages'],
  [20, '', 'https://openrouter.ai/api/v1/messages'],
] as const)('Messages of type %i at "%s" go to %s', (type, baseUrl, url) => {
  const provider = messagesRow(providerOf(type), { baseUrl, ownPath: undefined });
  if (provider === undefined) throw new Error('no twin');
  const request = buildRequest({ provider, baseUrl, key: 'k', endpoint: 'chat', model: 'm' });
  expect(provider.family).toBe('claude');
  expect(request.url.origin + request.url.path).toBe(url);
  expect(request.headers).toMatchObject({
    authorization: 'Bearer k',
    'anthropic-version': '2023-06-01',
  });
});

test('translates Messages for unknown servers, unless the channel sets a path', () => {
  const [deepSeek, openAi] = [providerOf(43), providerOf(1)];
  const twin = (row: typeof deepSeek, baseUrl: string, ownPath?: string) =>
    messagesRow(row, { baseUrl, ownPath })?.paths.chat;
  expect(twin(deepSeek, 'https://reseller.example')).toBeUndefined();
  expect(twin(deepSeek, '', '')).toBeUndefined();
  expect(twin(openAi, 'https://vllm.example')).toBeUndefined();
  expect(twin(openAi, 'https://vllm.example', '/v1/messages')).toBe('/v1/messages');
  expect(twin(providerOf(14), '', '/v1/messages'), 'speaks it anyway').toBeUndefined();
});
