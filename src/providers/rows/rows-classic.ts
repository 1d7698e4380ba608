/** The OpenAI-compatible providers with the type numbers stored by existing installations. */
import { ALL_PATHS, openAiRow, type ProviderRow, pathsOf, spacedList } from './provider-row.ts';

const BILLING = {
  reader: 'billing',
  paths: ['/v1/dashboard/billing/subscription', '/v1/dashboard/billing/usage'],
} as const;
const CREDIT_GRANTS = {
  reader: 'credit_grants',
  paths: ['/dashboard/billing/credit_grants'],
} as const;

const OPENAI_MODELS = spacedList(
  'gpt-6.2-astra gpt-6.2-sol gpt-6-astra gpt-6-sol gpt-6.1-sol gpt-5.6-sol ' +
    'gpt-5.6-terra gpt-5.6-luna gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.1 ' +
    'gpt-4.1 gpt-4o gpt-4o-mini text-embedding-3-small text-embedding-3-large ' +
    'gpt-image-2.6-sunburst gpt-image-2.6-flare gpt-image-2 gpt-image-1.5 gpt-image-1-mini gpt-4o-mini-tts tts-1 whisper-1 ' +
    'gpt-4o-transcribe gpt-4o-mini-transcribe gpt-realtime-2.1 gpt-realtime-2.1-mini ' +
    'omni-moderation-latest',
);

function reseller(type: number, baseUrl: string, extra: Partial<ProviderRow> = {}): ProviderRow {
  return openAiRow({ type, baseUrl, models: OPENAI_MODELS, ...extra });
}

export const CLASSIC_ROWS: readonly ProviderRow[] = [
  openAiRow({
    type: 1,
    baseUrl: 'https://api.openai.com',
    balance: BILLING,
    models: OPENAI_MODELS,
    note: 'Also for any compatible server, such as another gateway: set its address as the base URL.',
  }),
  openAiRow({
    type: 3,
    baseUrl: '',
    auth: 'api-key',
    transport: 'azure',
    paths: pathsOf(
      '/openai/deployments/{model}',
      'chat',
      'completions',
      'embeddings',
      'images',
      'imageEdits',
      'speech',
      'transcriptions',
      'translations',
    ),
    other: {
      is: 'apiVersion',
      means: 'API version, e.g. 2024-10-21, or v1',
      example: '2024-10-21',
    },
    models: OPENAI_MODELS,
    note: 'The base URL is the address of the resource, https://<name>.openai.azure.com; a model name is a deployment name.',
  }),
  openAiRow({
    type: 4,
    stopsWithClient: true,
    baseUrl: 'http://localhost:11434',
    keyOptional: true,
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
    mediaAsBytes: true,
    thinkTags: true,
    other: {
      is: 'interface',
      means: "`native` for Ollama's own interface, which supports num_ctx, think and keep_alive",
      choices: ['native'],
    },
    variants: [
      {
        means: 'if `other` is `native`, calls go to /api/chat',
        other: /^native$/,
        row: {
          family: 'ollama',
          paths: { chat: '/api/chat', models: '/api/tags', embeddings: '/v1/embeddings' },
        },
      },
    ],
    models: spacedList('llama3.3 qwen3 gpt-oss:20b nomic-embed-text'),
    note: 'Cloud: https://ollama.com with a key. The gateway fetches images that are given by URL.',
  }),
  reseller(6, 'https://api.openaimax.com', { balance: BILLING }),
  reseller(7, 'https://api.ohmygpt.com', { balance: BILLING }),
  openAiRow({
    type: 8,
    baseUrl: '',
    keyOptional: true,
    transport: 'full',
    paths: { chat: '' },
    balance: BILLING,
    models: [],
    note: 'The base URL is the complete address of the chat call; {model} in it is replaced by the model name.',
  }),
  reseller(9, 'https://api.caipacity.com', { balance: BILLING }),
  reseller(10, 'https://api.aiproxy.io', {
    balance: {
      reader: 'ai_proxy',
      baseUrl: 'https://aiproxy.io',
      paths: ['/api/report/getUserOverview'],
      keyHeader: 'api-key',
    },
  }),
  reseller(12, 'https://api.api2gpt.com', { balance: CREDIT_GRANTS }),
  reseller(13, 'https://api.aigc2d.com', { balance: CREDIT_GRANTS }),
  openAiRow({
    type: 20,
    baseUrl: 'https://openrouter.ai/api',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models', 'responses'),
    headers: { 'x-title': 'AI Model Gateway' },
    messages: { path: '/api/v1/messages' },
    streamUsage: 'always',
    balance: { reader: 'openrouter', paths: ['/v1/credits'] },
    models: spacedList('openai/gpt-6.2-sol anthropic/claude-sonnet-5.5 google/gemini-3.8-flash'),
  }),
  openAiRow({
    type: 27,
    baseUrl: 'https://api.perplexity.ai',
    paths: pathsOf('', 'chat'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    range: { top_p: [0, 0.99] },
    streamUsage: 'always',
    thinkTags: true,
    history: { alternates: true },
    models: spacedList('sonar sonar-pro sonar-reasoning-pro sonar-deep-research'),
  }),
  openAiRow({
    type: 38,
    baseUrl: 'https://api.jina.ai',
    paths: pathsOf('/v1', 'embeddings', 'rerank'),
    conversions: { embeddings: 'jina_embeddings' },
    models: spacedList('jina-embeddings-v4 jina-reranker-v3 jina-reranker-m0'),
  }),
  openAiRow({
    type: 39,
    baseUrl: 'https://api.cloudflare.com',
    paths: {
      ...pathsOf('/client/v4/accounts/{other}/ai/v1', 'chat', 'completions', 'embeddings'),
      models: '/client/v4/accounts/{other}/ai/models/search',
      images: '/client/v4/accounts/{other}/ai/run/{model/}',
      transcriptions: '/client/v4/accounts/{other}/ai/run/{model/}',
      rerank: '/client/v4/accounts/{other}/ai/run/{model/}',
    },
    conversions: {
      images: 'cloudflare_images',
      transcriptions: 'cloudflare_transcriptions',
      rerank: 'cloudflare_rerank',
    },
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    other: {
      is: 'accountId',
      means: 'account id',
      isRequired: true,
      example: '023e105f4ecef8ad9ca31a8372d0c353',
    },
    models: spacedList(
      '@cf/meta/llama-3.3-70b-instruct-fp8-fast @cf/openai/gpt-oss-120b @cf/baai/bge-m3',
    ),
  }),
  openAiRow({
    type: 42,
    baseUrl: 'https://api.mistral.ai',
    paths: pathsOf('/v1', 'chat', 'embeddings', 'moderations', 'models', 'transcriptions'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    // Rejected with 422; the last chunk always contains the usage.
    drop: ['stream_options', 'logit_bias', 'user'],
    rename: { seed: 'random_seed' },
    history: {
      callIdLength: 9,
      assistantAfterTools: true,
      drop: ['reasoning_content', 'reasoning', 'reasoning_details', 'refusal', 'annotations'],
    },
    streamUsage: 'always',
    models: spacedList(
      'mistral-large-latest mistral-medium-latest mistral-small-latest ' +
        'magistral-medium-latest codestral-latest ministral-8b-latest mistral-embed ' +
        'codestral-embed mistral-moderation-latest',
    ),
  }),
  openAiRow({
    type: 47,
    stopsWithClient: true,
    baseUrl: '',
    keyOptional: true,
    paths: ALL_PATHS,
    conversions: { rerank: 'text_rerank' },
    thinkTags: true,
    models: [],
    note: 'Set the address of your own server.',
  }),
  openAiRow({
    type: 48,
    baseUrl: 'https://api.x.ai',
    paths: pathsOf(
      '/v1',
      'chat',
      'completions',
      'embeddings',
      'models',
      'images',
      'responses',
      'realtime',
    ),
    conversions: { images: 'xai_images' },
    systemRole: 'system',
    streamUsage: 'always',
    models: spacedList(
      'grok-4.7 grok-4.6 grok-4.5 grok-4.3 grok-4.20-0309-reasoning grok-4.20-0309-non-reasoning ' +
        'grok-build-0.1 grok-imagine-image-2.0',
    ),
  }),
  openAiRow({
    type: 49,
    baseUrl: 'https://models.github.ai',
    paths: { ...pathsOf('/inference', 'chat', 'embeddings'), models: '/catalog/models' },
    models: [],
    note: 'The service was retired on 30 July 2026; the type remains for compatible servers.',
  }),
];
