/** Services with their own protocol, each with a dialect in `src/dialects`. */
import { dialectRow, type ProviderRow, pathsOf, spacedList, type Variant } from './provider-row.ts';

/** Models whose name in the path differs from their name in lower case. */
const WENXIN_PATHS = (
  [
    ['ERNIE-4.0-8K', 'completions_pro'],
    ['ERNIE-3.5-8K', 'completions'],
    ['ERNIE-Speed-8K', 'ernie_speed'],
  ] as const
).map(([prefix, path]) => ({ prefix, paths: { chat: wenxin(path) } }));

function wenxin(slug: string, kind = 'chat'): string {
  return `/rpc/2.0/ai_custom/v1/wenxinworkshop/${kind}/${slug}`;
}

const WENXIN_EMBEDDINGS = ['bge-large-zh', 'bge-large-en', 'tao-8k'].map((prefix) => ({
  prefix,
  paths: { embeddings: wenxin(prefix.replaceAll('-', '_'), 'embeddings') },
}));

/** The newer API of the same account. */
const QIANFAN: Variant = {
  means: '`bce-v3/...`: calls are sent as for Baidu V2',
  key: /^bce-v3\//,
  row: {
    family: 'openai',
    transport: 'plain',
    baseUrl: 'https://qianfan.baidubce.com',
    paths: {
      chat: '/v2/chat/completions',
      embeddings: '/v2/embeddings',
      models: '/v2/models',
    },
    pathsByModel: [],
    conversions: {},
    streamUsage: 'option',
    systemRole: 'system',
  },
};

export const OWN_ROWS: readonly ProviderRow[] = [
  dialectRow({
    type: 15,
    family: 'baidu',
    baseUrl: 'https://aip.baidubce.com',
    transport: 'baidu',
    key: '`APIKey|SecretKey`, exchanged for an access token',
    variants: [QIANFAN],
    paths: { chat: wenxin('{model}'), embeddings: wenxin('{model}', 'embeddings') },
    pathsByModel: [...WENXIN_PATHS, ...WENXIN_EMBEDDINGS],
    conversions: { embeddings: 'list_embeddings' },
    lowerCaseModel: true,
    streamUsage: 'always',
    models: spacedList(
      'ERNIE-4.0-8K ERNIE-3.5-8K ERNIE-Speed-8K ERNIE-Speed-128K ERNIE-Tiny-8K Embedding-V1',
    ),
    note: 'The old interface of Baidu. For new keys (bce-v3/...) use Baidu V2.',
  }),
  dialectRow({
    type: 21,
    family: 'library',
    baseUrl: 'https://api.aiproxy.io',
    paths: { chat: '/api/library/ask' },
    streamUsage: 'never',
    other: {
      is: 'knowledgeBaseId',
      means: 'knowledge base id',
      isRequired: true,
      example: '123456',
    },
    models: [],
    note: 'The model name has no effect. The sources are listed at the end of the answer.',
  }),
  dialectRow({
    type: 34,
    family: 'cohere',
    baseUrl: 'https://api.cohere.ai',
    paths: {
      chat: '/v2/chat',
      embeddings: '/v2/embed',
      rerank: '/v2/rerank',
      models: '/v1/models?page_size=1000',
    },
    conversions: { embeddings: 'cohere_embeddings', rerank: 'cohere_rerank' },
    streamUsage: 'always',
    other: {
      is: 'interface',
      means: '`compatibility` for the OpenAI-compatible interface',
      choices: ['compatibility'],
    },
    variants: [
      {
        means: 'if `other` is `compatibility`, chat and embeddings go to /compatibility/v1',
        other: /^compatibility$/,
        row: {
          family: 'openai',
          paths: {
            ...pathsOf('/compatibility/v1', 'chat', 'embeddings'),
            rerank: '/v2/rerank',
            models: '/v1/models?page_size=1000',
          },
          conversions: { rerank: 'cohere_rerank' },
          maxTokensField: 'max_tokens',
          streamUsage: 'option',
        },
      },
    ],
    models: spacedList(
      'command-a-03-2025 command-a-reasoning-08-2025 embed-v5.0-pro embed-v5.0-fast ' +
        'embed-v4.0 rerank-v5.0-pro rerank-v5.0-fast rerank-v4.0-pro rerank-v3.5',
    ),
    note: 'Charges use the units that Cohere bills. Embeddings accept `input_type`; the default is search_document.',
  }),
  dialectRow({
    type: 37,
    family: 'dify',
    baseUrl: 'https://api.dify.ai',
    paths: { chat: '/v1/chat-messages' },
    // Agents support only streaming.
    streamOnly: true,
    streamUsage: 'always',
    key: 'the key of one application, `app-...`',
    other: {
      is: 'application',
      choices: ['completion', 'workflow'],
      means: 'type of the application: empty for chat and agents, `completion` or `workflow`',
    },
    variants: [
      {
        means: 'if `other` is `completion`, calls go to a completion application',
        other: /^completion$/,
        row: { paths: { chat: '/v1/completion-messages' } },
      },
      {
        means: 'if `other` is `workflow`, calls go to a workflow',
        other: /^workflow$/,
        row: { paths: { chat: '/v1/workflows/run' } },
      },
    ],
    models: [],
    note: 'The model name has no effect. With conversation_id only the last question is sent; without it the whole conversation is sent as one text.',
  }),
  dialectRow({
    type: 1013,
    family: 'coze',
    baseUrl: 'https://api.coze.cn',
    paths: { chat: '/v3/chat' },
    streamOnly: true,
    streamUsage: 'always',
    key: 'a personal access token, `pat_...`',
    other: { is: 'botId', means: 'bot id', isRequired: true, example: '7342866812345' },
    models: [],
    note: 'The model name has no effect. International accounts: https://api.coze.com.',
  }),
];
