/**
 * Providers with a wire of their own. Their channels can be kept, imported and edited; a call that
 * would need one is refused, so that nobody is billed for an answer that cannot come.
 */
import { laterRow, names, type ProviderRow } from './row.ts';

const DRAWING_MODELS = names(
  'mj_imagine mj_variation mj_reroll mj_blend mj_upscale mj_describe mj_upload',
);

export const LATER_ROWS: readonly ProviderRow[] = [
  laterRow({
    type: 2,
    family: 'task',
    baseUrl: 'https://oa.api2d.net',
    models: DRAWING_MODELS,
    fixedModels: true,
    note: 'Drawing tasks are not relayed in this release.',
  }),
  laterRow({
    type: 5,
    family: 'task',
    baseUrl: 'https://api.openai-sb.com',
    models: [...DRAWING_MODELS, 'swap_face'],
    fixedModels: true,
    note: 'Drawing tasks are not relayed in this release.',
  }),
  laterRow({
    type: 11,
    family: 'gemini',
    baseUrl: '',
    auth: 'x-goog-api-key',
    models: ['PaLM-2'],
    note: 'Shut down by its vendor in 2024. Use Gemini.',
  }),
  laterRow({
    type: 14,
    family: 'claude',
    baseUrl: 'https://api.anthropic.com',
    auth: 'x-api-key',
    models: names(
      'claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-opus-5 claude-sonnet-5 ' +
        'claude-sonnet-4-6 claude-haiku-4-5',
    ),
    note: 'The Messages dialect is not spoken in this release. OpenRouter serves the same models.',
  }),
  laterRow({
    type: 15,
    family: 'own',
    baseUrl: 'https://aip.baidubce.com',
    models: ['ERNIE-4.0-8K', 'ERNIE-Speed-128K'],
    note: 'The old interface with an access token. Use Baidu V2 with a bearer key.',
  }),
  laterRow({
    type: 21,
    family: 'own',
    baseUrl: 'https://api.aiproxy.io',
    models: [],
    other: { means: 'library id' },
    note: 'Library questions are not relayed in this release.',
  }),
  laterRow({
    type: 24,
    family: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    auth: 'x-goog-api-key',
    models: names(
      'gemini-4-argon gemini-3.8-flash gemini-3.7-flash gemini-3.5-flash-lite ' +
        'gemini-3.1-pro-preview gemini-embedding-001',
    ),
    note:
      'The Gemini dialect is not spoken in this release. Google serves the same models to a Custom ' +
      'channel: https://generativelanguage.googleapis.com/v1beta/openai/chat/completions.',
  }),
  laterRow({
    type: 33,
    family: 'claude',
    baseUrl: '',
    models: names('claude-opus-5-5 claude-sonnet-5-5 claude-haiku-4-5'),
    other: { means: 'region' },
    note: 'Signed Bedrock calls are not made in this release.',
  }),
  laterRow({
    type: 36,
    family: 'task',
    baseUrl: '',
    models: ['suno_music', 'suno_lyrics'],
    fixedModels: true,
    note: 'Music tasks are not relayed in this release.',
  }),
  laterRow({
    type: 37,
    family: 'own',
    baseUrl: 'https://api.dify.ai',
    models: [],
    note: 'Dify applications are not relayed in this release.',
  }),
  laterRow({
    type: 41,
    family: 'gemini',
    baseUrl: '',
    models: ['gemini-3.8-flash', 'claude-sonnet-5-5'],
    other: { means: 'region, or a JSON map from model to region' },
    note: 'Service accounts are not signed in with in this release.',
  }),
];
