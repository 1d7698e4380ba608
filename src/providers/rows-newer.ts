/** OpenAI-compatible providers without a number in existing installations: ours start at 1001. */
import { ALL_PATHS, names, openAiRow, type ProviderRow, under } from './row.ts';

export const NEWER_ROWS: readonly ProviderRow[] = [
  openAiRow({
    type: 1001,
    baseUrl: 'https://api.groq.com/openai',
    paths: under('/v1', 'chat', 'models', 'speech', 'transcriptions', 'translations', 'responses'),
    models: names('openai/gpt-oss-120b openai/gpt-oss-20b qwen/qwen3-32b llama-3.3-70b-versatile'),
  }),
  openAiRow({
    type: 1002,
    baseUrl: 'https://api.together.xyz',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models', 'images', 'rerank'),
    models: ['meta-llama/Llama-3.3-70B-Instruct-Turbo', 'deepseek-ai/DeepSeek-V3.1'],
  }),
  openAiRow({
    type: 1003,
    baseUrl: 'https://api.fireworks.ai/inference',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['accounts/fireworks/models/kimi-k2p5', 'accounts/fireworks/models/gpt-oss-120b'],
  }),
  openAiRow({
    type: 1004,
    baseUrl: 'https://api.cerebras.ai',
    paths: under('/v1', 'chat', 'completions', 'models'),
    models: names('gpt-oss-120b qwen-3-235b-a22b-instruct-2507 llama3.1-8b'),
  }),
  openAiRow({
    type: 1005,
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    paths: under('', 'chat', 'completions', 'embeddings', 'models'),
    models: names('deepseek-ai/DeepSeek-V3.1 meta-llama/Llama-3.3-70B-Instruct BAAI/bge-m3'),
  }),
  openAiRow({
    type: 1006,
    baseUrl: 'https://api.novita.ai/openai',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['deepseek/deepseek-v3.1', 'meta-llama/llama-3.3-70b-instruct'],
  }),
  openAiRow({
    type: 1007,
    baseUrl: 'https://integrate.api.nvidia.com',
    paths: under('/v1', 'chat', 'completions', 'embeddings', 'models'),
    models: ['openai/gpt-oss-120b', 'meta/llama-3.3-70b-instruct'],
  }),
  openAiRow({
    type: 1008,
    baseUrl: 'https://router.huggingface.co',
    paths: under('/v1', 'chat', 'models'),
    models: ['openai/gpt-oss-120b', 'deepseek-ai/DeepSeek-V3.1'],
  }),
  openAiRow({
    type: 1009,
    baseUrl: 'https://api.stepfun.com',
    paths: under('/v1', 'chat', 'models', 'images', 'speech', 'transcriptions'),
    systemRole: 'system',
    models: names('step-3 step-2-16k step-2-mini'),
  }),
  openAiRow({
    type: 1010,
    baseUrl: 'https://api.baichuan-ai.com',
    paths: under('/v1', 'chat', 'embeddings'),
    maxTokensField: 'max_tokens',
    systemRole: 'system',
    models: names('Baichuan-M2 Baichuan4-Turbo Baichuan4-Air Baichuan-Text-Embedding'),
  }),
  openAiRow({
    type: 1011,
    baseUrl: 'https://api-inference.modelscope.cn',
    paths: under('/v1', 'chat', 'embeddings', 'models', 'images'),
    systemRole: 'system',
    models: ['Qwen/Qwen3-235B-A22B-Instruct-2507', 'deepseek-ai/DeepSeek-V3.1'],
  }),
  openAiRow({
    type: 1012,
    baseUrl: 'http://localhost:8000',
    keyOptional: true,
    paths: ALL_PATHS,
    models: [],
    note: 'The models are those the server was started with: fetch them from it.',
  }),
];
