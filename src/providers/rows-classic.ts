/** The OpenAI-compatible providers with the type numbers that existing installations store. */
import { ALL_PATHS, names, openAiRow, type ProviderRow, under } from './row.ts';

const BILLING = {
  reader: 'billing',
  paths: ['/v1/dashboard/billing/subscription', '/v1/dashboard/billing/usage'],
} as const;

const OPENAI_MODELS = names(
  'gpt-6.2-astra gpt-6.2-sol gpt-6-astra gpt-6-sol gpt-6.1-sol gpt-5.6-sol ' +
    'gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.1 ' +
    'gpt-4.1 gpt-4o gpt-4o-mini text-embedding-3-small text-embedding-3-large ' +
    'omni-moderation-latest',
);

/** One service with two numbers: 26 is what older installations stored. */
const ZHIPU = {
  baseUrl: 'https://open.bigmodel.cn',
  paths: under('/api/paas/v4', 'chat', 'embeddings', 'images', 'rerank', 'models'),
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  range: { temperature: [0.01, 0.99], top_p: [0.01, 0.99] },
  models: names(
    'glm-5.3 glm-5.3-flash glm-5.2 glm-5.1 glm-5 glm-4.7 glm-4.7-flash glm-4.6 ' +
      'glm-4.5-air glm-5v-turbo embedding-3',
  ),
  note: 'International accounts: https://api.z.ai. Coding plan: https://open.bigmodel.cn/api/coding/paas/v4.',
} as const;

function reseller(type: number, baseUrl: string, extra: Partial<ProviderRow> = {}): ProviderRow {
  return openAiRow({ type, baseUrl, models: OPENAI_MODELS, ...extra });
}

export const CLASSIC_ROWS: readonly ProviderRow[] = [
  openAiRow({
    type: 1,
    baseUrl: 'https://api.openai.com',
    balance: BILLING,
    models: OPENAI_MODELS,
    note: 'Also for any server like it, another gateway included: set its address as the base URL.',
  }),
  openAiRow({
    type: 3,
    baseUrl: '',
    auth: 'api-key',
    urlForm: 'azure',
    paths: under(
      '/openai/deployments/{model}',
      'chat',
      'completions',
      'embeddings',
      'images',
      'speech',
      'transcriptions',
      'translations',
    ),
    other: { means: 'API version, e.g. 2024-10-21, or v1' },
    models: OPENAI_MODELS,
    note: 'The base URL is the resource, https://<name>.openai.azure.com; a model is a deployment name.',
  }),
  openAiRow({
    type: 4,
    baseUrl: 'http://localhost:11434',
    keyOptional: true,
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
    models: names('llama3.3 qwen3 gpt-oss:20b nomic-embed-text'),
  }),
  reseller(6, 'https://api.openaimax.com'),
  reseller(7, 'https://api.ohmygpt.com'),
  openAiRow({
    type: 8,
    baseUrl: '',
    keyOptional: true,
    urlForm: 'full',
    paths: { chat: '' },
    balance: BILLING,
    models: [],
    note: 'The base URL is the complete address of the chat call; {model} in it is replaced.',
  }),
  reseller(9, 'https://api.caipacity.com'),
  reseller(10, 'https://api.aiproxy.io', {
    balance: {
      reader: 'ai_proxy',
      baseUrl: 'https://aiproxy.io',
      paths: ['/api/report/getUserOverview'],
      keyHeader: 'api-key',
    },
  }),
  reseller(12, 'https://api.api2gpt.com', {
    balance: { reader: 'credit_grants', paths: ['/dashboard/billing/credit_grants'] },
  }),
  reseller(13, 'https://api.aigc2d.com', {
    balance: { reader: 'credit_grants', paths: ['/dashboard/billing/credit_grants'] },
  }),
  openAiRow({ type: 16, ...ZHIPU }),
  openAiRow({
    type: 17,
    baseUrl: 'https://dashscope.aliyuncs.com',
    paths: under('/compatible-mode/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
    systemRole: 'system',
    other: { means: 'plugin header value', header: 'x-dashscope-plugin' },
    models: names(
      'qwen3.8-max qwen3.8-flash qwen3.7-max qwen3.7-plus qwen3.6-plus qwen3.5-plus ' +
        'qwen-plus qwen-flash text-embedding-v4',
    ),
    note: 'International accounts: https://dashscope-intl.aliyuncs.com.',
  }),
  openAiRow({
    type: 18,
    baseUrl: 'https://spark-api-open.xf-yun.com',
    paths: under('/v1', 'chat'),
    pathsByModel: [{ prefix: 'x1', paths: under('/v2', 'chat') }],
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    streamUsage: 'always',
    models: names('lite generalv3 pro-128k generalv3.5 max-32k 4.0Ultra x1'),
    note: 'The key is the APIPassword of the HTTP interface; three-part WebSocket keys do not work.',
  }),
  openAiRow({
    type: 19,
    baseUrl: 'https://api.360.cn',
    paths: under('/v1', 'chat', 'embeddings', 'models'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    models: names('360gpt2-pro 360gpt-turbo embedding_s1_v1'),
  }),
  openAiRow({
    type: 20,
    baseUrl: 'https://openrouter.ai/api',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
    headers: { 'x-title': 'AI Model Gateway' },
    streamUsage: 'always',
    balance: { reader: 'openrouter', paths: ['/v1/credits'] },
    models: names('openai/gpt-6.2-sol anthropic/claude-sonnet-5.5 google/gemini-3.8-flash'),
  }),
  openAiRow({
    type: 22,
    baseUrl: 'https://fastgpt.run/api/openapi',
    paths: under('/v1', 'chat'),
    streamUsage: 'never',
    models: [],
    note: 'One key per application; the model is only a label. Current cloud: https://api.fastgpt.in/api.',
  }),
  openAiRow({
    type: 23,
    baseUrl: 'https://api.hunyuan.cloud.tencent.com',
    paths: under('/v1', 'chat', 'embeddings', 'models'),
    systemRole: 'system',
    streamUsage: 'always',
    models: names('hy4 hy3 hunyuan-turbos-latest hunyuan-t1-latest hunyuan-lite'),
    note: 'Needs an sk- key; three-part keys of the signed interface do not work.',
  }),
  openAiRow({
    type: 25,
    baseUrl: 'https://api.moonshot.cn',
    paths: under('/v1', 'chat', 'models'),
    systemRole: 'system',
    balance: { reader: 'moonshot', paths: ['/v1/users/me/balance'] },
    models: names(
      'kimi-k3.1-pro kimi-k3.1-pro-highspeed kimi-k3 kimi-k2.7-code ' +
        'kimi-k2.7-code-highspeed kimi-k2.6 kimi-k2.5 moonshot-v1-8k moonshot-v1-32k ' +
        'moonshot-v1-128k moonshot-v1-auto',
    ),
    note: 'International accounts: https://api.moonshot.ai.',
  }),
  openAiRow({ type: 26, ...ZHIPU }),
  openAiRow({
    type: 27,
    baseUrl: 'https://api.perplexity.ai',
    paths: under('', 'chat'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    range: { top_p: [0, 0.99] },
    streamUsage: 'always',
    models: names('sonar sonar-pro sonar-reasoning-pro sonar-deep-research'),
  }),
  openAiRow({
    type: 31,
    baseUrl: 'https://api.lingyiwanwu.com',
    paths: under('/v1', 'chat', 'models'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    streamUsage: 'always',
    models: ['yi-lightning', 'yi-vision-v2'],
  }),
  openAiRow({
    type: 34,
    baseUrl: 'https://api.cohere.ai',
    paths: {
      ...under('/compatibility/v1', 'chat', 'embeddings'),
      rerank: '/v2/rerank',
      models: '/v1/models?page_size=1000',
    },
    maxTokensField: 'max_tokens',
    models: names(
      'command-a-03-2025 command-a-reasoning-08-2025 embed-v5.0-pro embed-v5.0-fast ' +
        'embed-v4.0',
    ),
  }),
  openAiRow({
    type: 35,
    baseUrl: 'https://api.minimaxi.com',
    paths: under('/v1', 'chat', 'models'),
    systemRole: 'system',
    streamUsage: 'always',
    models: names(
      'MiniMax-M3 MiniMax-M3.1-flash MiniMax-M2.7 MiniMax-M2.7-highspeed MiniMax-M2.5 ' +
        'MiniMax-M2.1 MiniMax-M2',
    ),
    note: 'International accounts: https://api.minimax.io.',
  }),
  openAiRow({
    type: 38,
    baseUrl: 'https://api.jina.ai',
    paths: under('/v1', 'embeddings', 'rerank'),
    models: names('jina-embeddings-v4 jina-reranker-v3 jina-reranker-m0'),
  }),
  openAiRow({
    type: 39,
    baseUrl: 'https://api.cloudflare.com',
    paths: {
      ...under('/client/v4/accounts/{other}/ai/v1', 'chat', 'completions', 'embeddings'),
      models: '/client/v4/accounts/{other}/ai/models/search',
    },
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    other: { means: 'account id' },
    models: names(
      '@cf/meta/llama-3.3-70b-instruct-fp8-fast @cf/openai/gpt-oss-120b @cf/baai/bge-m3',
    ),
  }),
  openAiRow({
    type: 40,
    baseUrl: 'https://api.siliconflow.cn',
    paths: under(
      '/v1',
      'chat',
      'completions',
      'embeddings',
      'models',
      'images',
      'speech',
      'transcriptions',
      'rerank',
    ),
    systemRole: 'system',
    streamUsage: 'always',
    balance: { reader: 'siliconflow', paths: ['/v1/user/info'] },
    models: names('deepseek-ai/DeepSeek-V4-Pro Qwen/Qwen3.5-397B-A17B BAAI/bge-m3'),
    note: 'International accounts: https://api.siliconflow.com.',
  }),
  openAiRow({
    type: 42,
    baseUrl: 'https://api.mistral.ai',
    paths: under('/v1', 'chat', 'embeddings', 'moderations', 'models', 'transcriptions'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    // Answered with 422; the counts come on the last chunk unasked.
    drop: ['stream_options', 'logit_bias'],
    rename: { seed: 'random_seed' },
    streamUsage: 'always',
    models: names(
      'mistral-large-latest mistral-medium-latest mistral-small-latest ' +
        'magistral-medium-latest codestral-latest ministral-8b-latest mistral-embed ' +
        'codestral-embed mistral-moderation-latest',
    ),
  }),
  openAiRow({
    type: 43,
    baseUrl: 'https://api.deepseek.com',
    paths: { ...under('/v1', 'chat', 'models'), completions: '/beta/completions' },
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    balance: { reader: 'deepseek', paths: ['/user/balance'] },
    models: names('deepseek-v4-pro deepseek-v4-flash deepseek-v4.1-flash'),
  }),
  openAiRow({
    type: 44,
    baseUrl: 'https://api.moka.ai',
    paths: under('', 'embeddings'),
    models: names('m3e-large m3e-base m3e-small'),
    note: 'The public service is gone: set the address of your own server.',
  }),
  openAiRow({
    type: 45,
    baseUrl: 'https://ark.cn-beijing.volces.com',
    paths: under('/api/v3', 'chat', 'embeddings', 'images', 'models', 'responses'),
    pathsByModel: [{ prefix: 'bot', paths: under('/api/v3/bots', 'chat') }],
    systemRole: 'system',
    models: names('doubao-seed-2-1-turbo doubao-seed-2-0-pro doubao-seed-1-8'),
    note: 'A model is a model id or an endpoint id (ep-...). Coding plan: add /api/coding/v3 to the base URL.',
  }),
  openAiRow({
    type: 46,
    baseUrl: 'https://qianfan.baidubce.com',
    paths: under('/v2', 'chat', 'embeddings', 'models', 'images', 'rerank'),
    systemRole: 'system',
    models: names('ernie-5.0 ernie-4.5-turbo-128k ernie-x1-turbo-32k bge-large-zh'),
  }),
  openAiRow({
    type: 47,
    baseUrl: '',
    keyOptional: true,
    paths: ALL_PATHS,
    models: [],
    note: 'Set the address of your own server.',
  }),
  openAiRow({
    type: 48,
    baseUrl: 'https://api.x.ai',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models', 'images', 'responses'),
    systemRole: 'system',
    streamUsage: 'always',
    models: names(
      'grok-4.7 grok-4.6 grok-4.5 grok-4.3 grok-4.20-reasoning grok-4.20-non-reasoning ' +
        'grok-build-0.1',
    ),
  }),
  openAiRow({
    type: 49,
    baseUrl: 'https://models.github.ai/inference',
    paths: under('', 'chat', 'embeddings'),
    models: [],
    note: 'The service was retired on 30 July 2026; the type remains for compatible servers.',
  }),
];
