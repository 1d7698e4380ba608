/** Validates what the gateway has to understand of a Responses request; the model does the rest. */
import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, objectIn, textIn } from '../../json/read-json.ts';

/** Fields that can provide the conversation instead of `input`. */
const REFERENCES = ['previous_response_id', 'conversation', 'prompt'] as const;
const FLAGS = ['stream', 'store', 'background', 'parallel_tool_calls'] as const;
const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);

/** @throws AppError field_missing, field_wrong: both name the field, e.g. `input.0.role`. */
export function validateResponses(body: JsonObject): void {
  if (textIn(body, 'model') === undefined) throw missingField('model');
  checkInput(body);
  for (const name of FLAGS) {
    const flag = body[name];
    if (isThere(flag) && typeof flag !== 'boolean') throw wrongField(name, 'not_bool');
  }
  const { max_output_tokens: limit, tools, previous_response_id: previous } = body;
  if (isThere(limit) && !(Number.isInteger(limit) && Number(limit) > 0))
    throw wrongField('max_output_tokens', 'int_too_small', { least: 1 });
  if (isThere(tools) && !Array.isArray(tools)) throw wrongField('tools', 'not_list');
  if (isThere(previous) && typeof previous !== 'string')
    throw wrongField('previous_response_id', 'not_text');
  const format = objectIn(objectIn(body, 'text'), 'format');
  if (format?.type === 'json_schema' && !isObject(format.schema))
    throw missingField('text.format.schema');
}

function checkInput(body: JsonObject): void {
  const { input } = body;
  if (!isThere(input)) {
    if (REFERENCES.some((name) => isThere(body[name]))) return;
    throw missingField('input');
  }
  if (typeof input === 'string') return;
  if (!Array.isArray(input)) throw wrongField('input', 'not_text_or_list');
  for (const [index, item] of input.entries()) checkItem(item, `input.${index}`);
}

function checkItem(item: unknown, field: string): void {
  if (!isObject(item)) throw wrongField(field, 'not_object');
  if ((textIn(item, 'type') ?? 'message') !== 'message') return;
  if (!ROLES.has(item.role))
    throw wrongField(`${field}.role`, 'not_choice', {
      choices: 'user, assistant, system, developer',
    });
  const { content } = item;
  if (typeof content !== 'string' && !Array.isArray(content))
    throw wrongField(`${field}.content`, 'not_text_or_list');
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
