/** Providers with their own dialect, which this release translates to and from. */
import { dialectRow, type ProviderRow, spacedList } from './provider-row.ts';

export const DIALECT_ROWS: readonly ProviderRow[] = [
  dialectRow({
    type: 14,
    family: 'claude',
    baseUrl: 'https://api.anthropic.com',
    auth: 'x-api-key',
    paths: { chat: '/v1/messages', models: '/v1/models?limit=1000' },
    headers: { 'anthropic-version': '2023-06-01' },
    streamUsage: 'always',
    models: spacedList(
      'claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5-2 claude-opus-5 ' +
        'claude-sonnet-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-sonnet-4-6 ' +
        'claude-haiku-4-5 claude-opus-4-5',
    ),
  }),
  dialectRow({
    type: 24,
    family: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    auth: 'x-goog-api-key',
    paths: {
      chat: '/v1beta/models/{model}:generateContent',
      models: '/v1beta/models?pageSize=1000',
      embeddings: '/v1beta/models/{model}:batchEmbedContents',
      images: '/v1beta/models/{model}:generateContent',
      imageEdits: '/v1beta/models/{model}:generateContent',
    },
    pathsByModel: [{ prefix: 'imagen', paths: { images: '/v1beta/models/{model}:predict' } }],
    conversions: {
      embeddings: 'gemini_embeddings',
      images: 'google_images',
      imageEdits: 'google_images',
    },
    streamPaths: { chat: '/v1beta/models/{model}:streamGenerateContent?alt=sse' },
    streamUsage: 'always',
    other: { is: 'apiVersion', means: 'API version, e.g. v1beta', example: 'v1beta' },
    models: spacedList(
      'gemini-4-argon gemini-3.8-flash gemini-3.7-flash gemini-3.6-flash gemini-3.5-flash ' +
        'gemini-3.5-flash-lite gemini-3.1-pro-preview gemini-3-pro-image ' +
        'gemini-3.1-flash-image gemini-embedding-2 gemini-embedding-001',
    ),
  }),
  dialectRow({
    type: 33,
    family: 'claude',
    baseUrl: '',
    transport: 'bedrock',
    paths: {},
    streamUsage: 'always',
    key: '`AccessKey|SecretKey|region`, or `APIKey|region`',
    other: {
      is: 'keyRegion',
      means: 'region if the key contains none, e.g. us-east-1',
      example: 'us-east-1',
    },
    models: spacedList(
      'claude-opus-5-5 claude-sonnet-5-5 claude-haiku-4-5 nova-pro nova-lite ' +
        'openai.gpt-oss-120b-1:0 us.meta.llama4-maverick-17b-instruct-v1:0',
    ),
    note: 'Bedrock model ids and ARNs also work. Only chat is supported.',
  }),
  dialectRow({
    type: 41,
    family: 'gemini',
    baseUrl: '',
    transport: 'vertex',
    paths: {},
    streamUsage: 'option',
    key: 'the JSON of a service account, or an API key, which works only for models of Google',
    other: {
      is: 'region',
      means: 'region, or a JSON map from model to region',
      isRequired: true,
      example: 'us-central1',
    },
    models: spacedList(
      'gemini-3.8-flash gemini-3.1-pro-preview claude-sonnet-5-5 claude-haiku-4-5 ' +
        'meta/llama-4-maverick-17b-128e-instruct-maas',
    ),
    note: 'Model names are gemini-..., claude-..., and maker/model for all others. Only chat is supported.',
  }),
];
