/** Options specific to Gemini and Claude models. */
import type { OptionRows } from '../row.ts';

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
  'gemini.safety_settings': {
    type: 'json',
    fallback: DEFAULT_SAFETY,
    role: 10,
    shape: 'safety_settings',
  },
  'gemini.version_settings': {
    type: 'json',
    fallback: '{"default":"v1beta"}',
    role: 10,
    shape: 'api_versions',
  },
  'gemini.supported_imagine_models': {
    type: 'json',
    fallback: '["gemini-2.0-flash-exp","gemini-2.0-flash-exp-image-generation"]',
    role: 10,
    shape: 'model_names',
  },
  'gemini.thinking_adapter_enabled': { type: 'bool', fallback: 'false', role: 10 },
  'gemini.thinking_adapter_budget_tokens_percentage': {
    type: 'number',
    fallback: '0.6',
    role: 10,
    min: 0.002,
    max: 1,
  },
  'gemini.models_supported_thinking_budget': {
    type: 'json',
    fallback: DEFAULT_BUDGET_MODELS,
    role: 10,
    shape: 'model_names',
  },
  'claude.model_headers_settings': {
    type: 'json',
    fallback: '{}',
    role: 10,
    shape: 'model_headers',
  },
  'claude.default_max_tokens': {
    type: 'json',
    fallback: '{"default":8192}',
    role: 10,
    shape: 'model_counts',
  },
  'claude.thinking_adapter_enabled': { type: 'bool', fallback: 'true', role: 10 },
  'claude.thinking_adapter_budget_tokens_percentage': {
    type: 'number',
    fallback: '0.8',
    role: 10,
    min: 0.1,
    max: 1,
  },
} as const satisfies OptionRows;
