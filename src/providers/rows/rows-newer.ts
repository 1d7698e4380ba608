/** OpenAI-compatible providers without a number in existing installations: ours start at 1001. */
import { ALL_PATHS, openAiRow, type ProviderRow, pathsOf, spacedList } from './provider-row.ts';

export const NEWER_ROWS: readonly ProviderRow[] = [
  openAiRow({
    type: 1001,
    baseUrl: 'https://api.groq.com/openai',
    paths: pathsOf(
      '/v1',
      'chat',
      'models',
      'speech',
      'transcriptions',
      'translations',
      'responses',
    ),
    drop: ['logprobs', 'top_logprobs', 'logit_bias'],
    history: { drop: ['name', 'reasoning_content'] },
    models: spacedList(
      'openai/gpt-oss-120b openai/gpt-oss-20b qwen/qwen3.8-27b llama-3.3-70b-versatile',
    ),
  }),
  openAiRow({
    type: 1002,
    stopsWithClient: true,
    baseUrl: 'https://api.together.xyz',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models', 'images', 'rerank'),
    models: ['deepseek-ai/DeepSeek-V4.1-Flash', 'moonshotai/Kimi-K3', 'zai-org/GLM-5.3'],
  }),
  openAiRow({
    type: 1003,
    stopsWithClient: true,
    baseUrl: 'https://api.fireworks.ai/inference',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['accounts/fireworks/models/kimi-k3', 'accounts/fireworks/models/glm-5p3'],
  }),
  openAiRow({
    type: 1004,
    baseUrl: 'https://api.cerebras.ai',
    paths: pathsOf('/v1', 'chat', 'completions', 'models'),
    drop: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
    models: spacedList('gpt-oss-120b qwen-3.8-27b'),
  }),
  openAiRow({
    type: 1005,
    stopsWithClient: true,
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    paths: pathsOf('', 'chat', 'completions', 'embeddings', 'models'),
    models: spacedList('deepseek-ai/DeepSeek-V3.1 meta-llama/Llama-3.3-70B-Instruct BAAI/bge-m3'),
  }),
  openAiRow({
    type: 1006,
    stopsWithClient: true,
    baseUrl: 'https://api.novita.ai/openai',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['deepseek/deepseek-v3.1', 'meta-llama/llama-3.3-70b-instruct'],
  }),
  openAiRow({
    type: 1007,
    baseUrl: 'https://integrate.api.nvidia.com',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['openai/gpt-oss-120b', 'meta/llama-3.3-70b-instruct'],
  }),
  openAiRow({
    type: 1008,
    baseUrl: 'https://router.huggingface.co',
    paths: pathsOf('/v1', 'chat', 'models'),
    models: ['openai/gpt-oss-120b', 'deepseek-ai/DeepSeek-V3.1'],
  }),
  openAiRow({
    type: 1009,
    baseUrl: 'https://api.stepfun.com',
    paths: pathsOf('/v1', 'chat', 'models', 'images', 'speech', 'transcriptions'),
    systemRole: 'system',
    models: spacedList('step-5-preview step-3.7-flash step-3.5-flash'),
  }),
  openAiRow({
    type: 1010,
    baseUrl: 'https://api.baichuan-ai.com',
    paths: pathsOf('/v1', 'chat', 'embeddings'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    models: spacedList('Baichuan-M2 Baichuan4-Turbo Baichuan4-Air Baichuan-Text-Embedding'),
  }),
  openAiRow({
    type: 1011,
    baseUrl: 'https://api-inference.modelscope.cn',
    paths: pathsOf('/v1', 'chat', 'embeddings', 'models', 'images'),
    systemRole: 'system',
    models: ['Qwen/Qwen3-235B-A22B-Instruct-2507', 'ZhipuAI/GLM-4.6'],
  }),
  ownServer(1012, 'http://localhost:8000'),
  openAiRow({
    type: 1014,
    baseUrl: 'https://api.sambanova.ai',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['gpt-oss-120b', 'DeepSeek-V3.1', 'Meta-Llama-3.3-70B-Instruct'],
  }),
  openAiRow({
    type: 1015,
    baseUrl: 'https://api.tokenfactory.nebius.com',
    paths: pathsOf('/v1', 'chat', 'completions', 'embeddings', 'models', 'images'),
    models: ['openai/gpt-oss-120b', 'deepseek-ai/DeepSeek-V4.1-Flash', 'Qwen/Qwen3-Embedding-8B'],
  }),
  openAiRow({
    type: 1016,
    baseUrl: 'https://api.hyperbolic.xyz',
    paths: pathsOf('/v1', 'chat', 'completions', 'models'),
    models: ['openai/gpt-oss-120b', 'meta-llama/Llama-3.3-70B-Instruct'],
  }),
  openAiRow({
    type: 1017,
    baseUrl: 'https://ai-gateway.vercel.sh',
    paths: pathsOf('/v1', 'chat', 'embeddings', 'models'),
    models: spacedList('openai/gpt-6.2-sol anthropic/claude-sonnet-5.5 google/gemini-3.8-flash'),
  }),
  openAiRow({
    type: 1018,
    baseUrl: 'https://api.voyageai.com',
    paths: pathsOf('/v1', 'embeddings', 'rerank'),
    conversions: { embeddings: 'voyage_embeddings', rerank: 'voyage_rerank' },
    models: spacedList('voyage-4-large voyage-4 voyage-4-lite rerank-3'),
  }),
  openAiRow({
    type: 1023,
    baseUrl: 'https://api.replicate.com',
    paths: { images: '/v1/models/{model/}/predictions' },
    conversions: { images: 'replicate_images' },
    models: ['black-forest-labs/flux-1.1-pro', 'black-forest-labs/flux-schnell'],
    note: 'Images by models with names of the form owner/name; further fields of a model are forwarded. Language models are not supported because their fields differ by model.',
  }),
  ownServer(1019, 'http://localhost:1234'),
  ownServer(1020, 'http://localhost:8080'),
  ownServer(1021, 'http://localhost:30000'),
  ownServer(1022, 'http://localhost:8080'),
];

/** A self-hosted server with its own models; image and thinking support depend on the server. */
function ownServer(type: number, baseUrl: string): ProviderRow {
  return openAiRow({
    type,
    baseUrl,
    stopsWithClient: true,
    keyOptional: true,
    paths: ALL_PATHS,
    thinkTags: true,
    models: [],
    note: 'The server offers the models with which it was started: fetch its model list.',
  });
}
