/** Options specific to Gemini and Claude models. */
import type { OptionRows } from '../row.ts';
import { JSON_VALUE, SWITCH } from '../row-bases.ts';

const DEFAULT_SAFETY = JSON.stringify({
  default: 'OFF',
  HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE',
  HARM_CATEGORY_HATE_SPEECH: 'BLOCK_NONE',
  HARM_CATEGORY_SEXUALLY_EXPLICIT: 'BLOCK_NONE',
  HARM_CATEGORY_DANGEROUS_CONTENT: 'BLOCK_NONE',
});

const DEFAULT_BUDGET_MODELS = JSON.stringify([
  'gemini-2.5-pro',
  'gemini-2.5-pro-preview-06-05',
  'gemini-2.5-flash-preview-05-20',
  'gemini-2.5-flash-preview-04-17',
]);

export const modelOptions = {
  'gemini.safety_settings': { ...JSON_VALUE, fallback: DEFAULT_SAFETY, shape: 'safety_settings' },
  'gemini.version_settings': {
    ...JSON_VALUE,
    fallback: '{"default":"v1beta"}',
    shape: 'api_versions',
  },
  'gemini.supported_imagine_models': {
    ...JSON_VALUE,
    fallback: '["gemini-2.0-flash-exp","gemini-2.0-flash-exp-image-generation"]',
    shape: 'model_names',
  },
  'gemini.thinking_adapter_enabled': SWITCH,
  'gemini.thinking_adapter_budget_tokens_percentage': {
    type: 'number',
    fallback: '0.6',
    role: 10,
    min: 0.002,
    max: 1,
  },
  'gemini.models_supported_thinking_budget': {
    ...JSON_VALUE,
    fallback: DEFAULT_BUDGET_MODELS,
    shape: 'model_names',
  },
  'claude.model_headers_settings': { ...JSON_VALUE, shape: 'model_headers' },
  'claude.default_max_tokens': {
    ...JSON_VALUE,
    fallback: '{"default":8192}',
    shape: 'model_counts',
  },
  'claude.thinking_adapter_enabled': { ...SWITCH, fallback: 'true' },
  'claude.thinking_adapter_budget_tokens_percentage': {
    type: 'number',
    fallback: '0.8',
    role: 10,
    min: 0.1,
    max: 1,
  },
} as const satisfies OptionRows;
