/**
 * Selects the fields of a large body that are parsed; all others are forwarded as bytes
 * (`RawJson`).
 */
import type { CheckedEndpoint } from '../../dialects/openai/validate.ts';
import { PAID_FIELDS } from '../../domain/pricing/paid-fields.ts';
import { UNPRICED_FIELDS } from '../../domain/pricing/unpriced-fields.ts';

export type IsRead = (name: string) => boolean;

/** For bodies that are converted field by field and may have any fields: tasks, images, speech. */
export const readAll: IsRead = () => true;

/**
 * Fields of the text endpoints in all dialects that are validated, estimated, searched for
 * sensitive words, converted or edited. A field that is missing here is forwarded unchanged, but
 * only to an upstream of the client's own dialect.
 */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'group',
  'stream',
  'stream_options',
  'messages',
  'contents',
  'content',
  'input',
  'prompt',
  'suffix',
  'query',
  'documents',
  'texts',
  'requests',
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'tools',
  'functions',
  'functionDeclarations',
  'function_declarations',
  'tool_choice',
  'toolConfig',
  'tool_config',
  'response_format',
  'text',
  'generationConfig',
  'generation_config',
  'generateContentRequest',
  'generate_content_request',
  'output_config',
  'extra_body',
  'stop',
  'stop_sequences',
  'metadata',
  'logit_bias',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
  'best_of',
  'top_n',
  'user',
  'safety_identifier',
  'reasoning',
  'thinking',
  'service_tier',
  'serviceTier',
  'speed',
  'prompt_cache_key',
  'background',
  'store',
  ...PAID_FIELDS,
  ...UNPRICED_FIELDS,
]);

const isTextField: IsRead = (name) => TEXT_FIELDS.has(name);

const OF_TEXTS: ReadonlySet<CheckedEndpoint> = new Set([
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
]);

export function readFieldsOf(endpoint: CheckedEndpoint): IsRead {
  return OF_TEXTS.has(endpoint) ? isTextField : readAll;
}
