/** OpenAI-compatible providers in China, with the type numbers stored by existing installations. */
import { TASK_IMAGE_MODELS } from '../conversions/dashscope.ts';
import {
  type HistoryRules,
  openAiRow,
  type ProviderRow,
  pathsOf,
  spacedList,
} from './provider-row.ts';

/** Thinking models reject turns with tool calls that lack their reasoning. */
const KEEPS_REASONING: HistoryRules = { needsReasoning: true };

/** One service with two type numbers; newer installations store 26. */
const ZHIPU = {
  baseUrl: 'https://open.bigmodel.cn',
  paths: pathsOf(
    '/api/paas/v4',
    'chat',
    'embeddings',
    'images',
    'speech',
    'transcriptions',
    'rerank',
    'models',
  ),
  conversions: { images: 'zhipu_images' },
  messages: { path: '/api/anthropic/v1/messages', hosts: ['api.z.ai'] },
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  range: { temperature: [0.01, 0.99], top_p: [0.01, 0.99] },
  streamedTools: { tool_stream: true },
  jsonObjectOnly: true,
  key: '`id.secret`, sent unchanged',
  models: spacedList(
    'glm-5.3 glm-5.3-flash glm-5.2 glm-5.1 glm-5 glm-4.7 glm-4.7-flash glm-4.6 ' +
      'glm-4.5-air glm-5v-turbo embedding-3 cogview-4',
  ),
  note: 'International accounts: https://api.z.ai. Coding plan: https://open.bigmodel.cn/api/coding/paas/v4.',
} as const;

export const CHINA_ROWS: readonly ProviderRow[] = [
  openAiRow({ type: 16, ...ZHIPU }),
  openAiRow({
    type: 17,
    baseUrl: 'https://dashscope.aliyuncs.com',
    paths: {
      ...pathsOf('/compatible-mode/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
      realtime: '/api-ws/v1/realtime?model={model}',
      images: '/api/v1/services/aigc/multimodal-generation/generation',
      imageEdits: '/api/v1/services/aigc/multimodal-generation/generation',
      speech: '/api/v1/services/aigc/multimodal-generation/generation',
      rerank: '/api/v1/services/rerank/text-rerank/text-rerank',
    },
    pathsByModel: TASK_IMAGE_MODELS.map((prefix) => ({
      prefix,
      paths: { images: '/api/v1/services/aigc/text2image/image-synthesis' },
    })),
    conversions: {
      speech: 'dashscope_speech',
      images: 'dashscope_images',
      imageEdits: 'dashscope_images',
      rerank: 'dashscope_rerank',
    },
    messages: { path: '/apps/anthropic/v1/messages', hosts: ['dashscope-intl.aliyuncs.com'] },
    systemRole: 'system',
    history: { systemFirst: true },
    other: {
      is: 'plugin',
      means: 'plugin header value',
      header: 'x-dashscope-plugin',
      example: '{"calculator":{}}',
    },
    models: spacedList(
      'qwen3.8-max qwen3.8-flash qwen3.7-max qwen3.7-plus qwen3.6-plus qwen3.5-plus ' +
        'qwen-plus qwen-flash text-embedding-v4 qwen3-rerank gte-rerank-v2',
    ),
    note: 'International accounts: https://dashscope-intl.aliyuncs.com. For image models that work by task, the call waits for the task. Speech: qwen-tts models, as WAV. CosyVoice uses WebSocket and is not supported.',
  }),
  openAiRow({
    type: 18,
    baseUrl: 'https://spark-api-open.xf-yun.com',
    paths: pathsOf('/v1', 'chat'),
    pathsByModel: [{ prefix: 'x1', paths: pathsOf('/v2', 'chat') }],
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    streamUsage: 'always',
    key: 'the APIPassword of the HTTP interface',
    other: {
      is: 'modelVersion',
      means: 'version of the old WebSocket interface; not sent',
      example: 'v2.1',
    },
    variants: [
      {
        means: '`APPID|APISecret|APIKey`: the old WebSocket interface, which is refused',
        key: /^[^|]+\|[^|]+\|[^|]+$/,
        row: {
          supported: false,
        },
      },
    ],
    models: spacedList('lite generalv3 pro-128k generalv3.5 max-32k 4.0Ultra x1'),
    note: 'The key is the APIPassword of the HTTP interface. Keys of the WebSocket interface, which have three parts, are refused.',
  }),
  openAiRow({
    type: 19,
    baseUrl: 'https://api.360.cn',
    paths: pathsOf('/v1', 'chat', 'embeddings', 'models'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    models: spacedList('360gpt2-pro 360gpt-turbo embedding_s1_v1'),
  }),
  openAiRow({
    type: 22,
    baseUrl: 'https://fastgpt.run/api/openapi',
    address: 'private',
    paths: pathsOf('/v1', 'chat'),
    // It always reports one token for input and output, whatever the content.
    streamUsage: 'never',
    answerEvents: ['answer', 'fastAnswer', 'error'],
    key: 'the key of one application',
    models: [],
    note: 'Each key belongs to one application, so the model name has no effect. Current cloud: https://api.fastgpt.in/api.',
  }),
  openAiRow({
    type: 23,
    baseUrl: 'https://api.hunyuan.cloud.tencent.com',
    paths: pathsOf('/v1', 'chat', 'embeddings', 'models'),
    systemRole: 'system',
    streamUsage: 'always',
    key: '`sk-...`',
    variants: [
      {
        means: '`AppId|SecretId|SecretKey`: the signed interface (TC3)',
        key: /^[^|]+\|[^|]+\|[^|]+$/,
        row: {
          family: 'hunyuan',
          transport: 'tencent',
          baseUrl: 'https://hunyuan.tencentcloudapi.com',
          paths: { chat: '/' },
        },
      },
    ],
    models: spacedList('hy4 hy3 hunyuan-turbos-latest hunyuan-t1-latest hunyuan-lite'),
  }),
  openAiRow({
    type: 25,
    baseUrl: 'https://api.moonshot.cn',
    paths: pathsOf('/v1', 'chat', 'models'),
    messages: { path: '/anthropic/v1/messages', hosts: ['api.moonshot.ai'] },
    systemRole: 'system',
    history: { ...KEEPS_REASONING, dropFromTools: ['strict'] },
    balance: { reader: 'moonshot', paths: ['/v1/users/me/balance'] },
    models: spacedList(
      'kimi-k3.1-pro kimi-k3.1-pro-highspeed kimi-k3 kimi-k2.7-code ' +
        'kimi-k2.7-code-highspeed kimi-k2.6 kimi-k2.5 moonshot-v1-8k moonshot-v1-32k ' +
        'moonshot-v1-128k moonshot-v1-auto',
    ),
    note: 'International accounts: https://api.moonshot.ai.',
  }),
  openAiRow({ type: 26, ...ZHIPU }),
  openAiRow({
    type: 31,
    baseUrl: 'https://api.lingyiwanwu.com',
    paths: pathsOf('/v1', 'chat', 'models'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    streamUsage: 'always',
    models: ['yi-lightning', 'yi-vision-v2'],
  }),
  openAiRow({
    type: 35,
    baseUrl: 'https://api.minimaxi.com',
    paths: {
      ...pathsOf('/v1', 'chat', 'models'),
      images: '/v1/image_generation',
      speech: '/v1/t2a_v2',
    },
    conversions: { images: 'minimax_images', speech: 'minimax_speech' },
    messages: { path: '/anthropic/v1/messages', hosts: ['api.minimax.io'] },
    systemRole: 'system',
    streamUsage: 'always',
    thinkTags: true,
    models: spacedList(
      'MiniMax-M3 MiniMax-M3.1-Flash MiniMax-M2.7 MiniMax-M2.7-highspeed MiniMax-M2.5 ' +
        'MiniMax-M2.1 MiniMax-M2 image-01',
    ),
    note: 'International accounts: https://api.minimax.io.',
  }),
  openAiRow({
    type: 40,
    baseUrl: 'https://api.siliconflow.cn',
    paths: pathsOf(
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
    conversions: { images: 'siliconflow_images' },
    systemRole: 'system',
    streamUsage: 'always',
    balance: { reader: 'siliconflow', paths: ['/v1/user/info'] },
    models: spacedList('deepseek-ai/DeepSeek-V4-Pro Qwen/Qwen3.5-397B-A17B BAAI/bge-m3'),
    note: 'International accounts: https://api.siliconflow.com.',
  }),
  openAiRow({
    type: 43,
    stopsWithClient: true,
    baseUrl: 'https://api.deepseek.com',
    paths: { ...pathsOf('', 'chat', 'models'), completions: '/beta/completions' },
    messages: { path: '/anthropic/v1/messages' },
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    history: KEEPS_REASONING,
    balance: { reader: 'deepseek', paths: ['/user/balance'] },
    models: spacedList('deepseek-v4-pro deepseek-flash deepseek-v4-flash'),
    note: 'For strict tools and answer prefixes set the base URL https://api.deepseek.com/beta.',
  }),
  openAiRow({
    type: 44,
    baseUrl: 'https://api.moka.ai',
    paths: pathsOf('', 'embeddings'),
    conversions: { embeddings: 'list_embeddings' },
    models: spacedList('m3e-large m3e-base m3e-small'),
    note: 'The public service no longer exists: set the address of your own server.',
  }),
  openAiRow({
    type: 45,
    baseUrl: 'https://ark.cn-beijing.volces.com',
    paths: {
      ...pathsOf('/api/v3', 'chat', 'embeddings', 'images', 'rerank', 'models', 'responses'),
      imageEdits: '/api/v3/images/generations',
    },
    conversions: { images: 'volcengine_images', imageEdits: 'volcengine_images' },
    pathsByModel: [{ prefix: 'bot', paths: pathsOf('/api/v3/bots', 'chat') }],
    systemRole: 'system',
    models: spacedList(
      'doubao-seed-2-1-turbo-260628 doubao-seed-2-0-pro-260215 doubao-seed-1-8-251228',
    ),
    note: 'A model name is a model id, an endpoint id (ep-...) or a bot id (bot-...). Coding plan: append /api/coding/v3 to the base URL.',
  }),
  openAiRow({
    type: 46,
    baseUrl: 'https://qianfan.baidubce.com',
    paths: pathsOf('/v2', 'chat', 'embeddings', 'models', 'images', 'rerank'),
    systemRole: 'system',
    key: '`bce-v3/...`, or `bce-v3/...|appid`',
    keyPartHeader: 'appid',
    models: spacedList('ernie-5.0 ernie-4.5-turbo-128k ernie-x1-turbo-32k bge-large-zh'),
  }),
];
