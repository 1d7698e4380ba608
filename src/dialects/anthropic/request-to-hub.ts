/** Reads a Messages request into the hub (platform.claude.com/docs/en/api/messages). */
import { missingField, wrongField } from '../../domain/errors/field-errors.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../json/read-json.ts';
import type { TextBlock } from '../hub/blocks.ts';
import { unknownFields } from '../hub/extras.ts';
import type { HubRequest, ResponseFormat, Tool, ToolChoice } from '../hub/request/request.ts';
import { isEffort, type Reasoning } from '../hub/thinking/reasoning.ts';
import { withoutBillingNote } from './billing-note.ts';
import { readBlocks } from './block-to-hub.ts';
import { readMessages } from './message-to-hub.ts';

const KNOWN = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
]);

/** Claude Code puts the id of its session into the user id. */
const SESSION = /session[_a-z":\s]*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;

/** @throws AppError field_missing, field_wrong */
export function readAnthropicRequest(body: JsonObject): HubRequest {
  validateAnthropicRequest(body);
  const { type, ...choice } = objectIn(body, 'tool_choice') ?? {};
  const maxTokens = numberIn(body, 'max_tokens');
  const user = textIn(objectIn(body, 'metadata'), 'user_id');
  return {
    model: String(body.model),
    stream: body.stream === true,
    system: readSystem(body),
    messages: readMessages(body),
    tools: objectsIn(body, 'tools').map(readTool),
    toolChoice: readToolChoice(type, choice),
    ...(choice.disable_parallel_tool_use === true ? { parallelTools: false } : {}),
    maxTokens: maxTokens !== undefined && maxTokens > 0 ? maxTokens : undefined,
    sampling: {
      temperature: numberIn(body, 'temperature'),
      topP: numberIn(body, 'top_p'),
      topK: numberIn(body, 'top_k'),
    },
    stop: textsIn(body, 'stop_sequences'),
    reasoning: readReasoning(body),
    format: readFormat(body),
    user,
    session: SESSION.exec(user ?? '')?.[1],
    ...unknownFields('anthropic', body, KNOWN),
  };
}

/** Validates only what the gateway has to understand; the model validates values. */
function validateAnthropicRequest(body: JsonObject): void {
  if (textIn(body, 'model') === undefined) throw missingField('model');
  const { messages } = body;
  if (messages === undefined || messages === null) throw missingField('messages');
  if (!Array.isArray(messages) || messages.length === 0) throw wrongField('messages', 'list_empty');
  for (const [index, message] of messages.entries()) checkMessage(message, `messages.${index}`);
  const { stream, max_tokens: maxTokens } = body;
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean')
    throw wrongField('stream', 'not_bool');
  if (maxTokens !== undefined && maxTokens !== null && !Number.isInteger(maxTokens))
    throw wrongField('max_tokens', 'not_int');
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

function checkMessage(message: unknown, field: string): void {
  if (!isObject(message)) throw wrongField(field, 'not_object');
  if (!ROLES.has(message.role))
    throw wrongField(`${field}.role`, 'not_choice', { choices: 'user, assistant' });
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content))
    throw wrongField(`${field}.content`, 'not_text_or_list');
}

function textsIn(body: JsonObject, name: string): readonly string[] {
  const value = body[name];
  return Array.isArray(value)
    ? value.filter((text) => typeof text === 'string' && text !== '')
    : [];
}

function readSystem(body: JsonObject): readonly TextBlock[] {
  return readBlocks(withoutBillingNote(body).system).filter((block) => block.kind === 'text');
}

const KNOWN_TOOL = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
]);

function readTool(tool: JsonObject): Tool {
  const type = textIn(tool, 'type') ?? 'custom';
  if (type.startsWith('web_search_')) {
    const maxUses = numberIn(tool, 'max_uses');
    return { kind: 'web_search', origin: 'anthropic', value: tool, maxUses };
  }
  const name = textIn(tool, 'name');
  // Tools with a dated type run at the vendor or have a schema that only its models know.
  if (type !== 'custom' || name === undefined)
    return { kind: 'foreign', origin: 'anthropic', value: tool };
  return {
    kind: 'function',
    name,
    description: textIn(tool, 'description'),
    schema: objectIn(tool, 'input_schema'),
    ...(typeof tool.strict === 'boolean' ? { strict: tool.strict } : {}),
    cache: objectIn(tool, 'cache_control'),
    ...unknownFields('anthropic', tool, KNOWN_TOOL),
  };
}

function readToolChoice(type: unknown, choice: JsonObject): ToolChoice | undefined {
  if (type === 'auto' || type === 'none') return { mode: type };
  if (type === 'any') return { mode: 'required' };
  const name = textIn(choice, 'name');
  return type === 'tool' && name !== undefined ? { mode: 'tool', name } : undefined;
}

function readReasoning(body: JsonObject): Reasoning | undefined {
  const thinking = objectIn(body, 'thinking');
  const effort = objectIn(body, 'output_config')?.effort;
  const display = textIn(thinking, 'display');
  const shown = display === undefined ? {} : { visible: display !== 'omitted' };
  if (thinking?.type === 'disabled' || thinking?.type === 'between_tools') return { mode: 'off' };
  const tokens = numberIn(thinking, 'budget_tokens');
  if (tokens !== undefined && tokens > 0) return { mode: 'budget', tokens, ...shown };
  if (isEffort(effort)) return { mode: 'effort', level: effort, ...shown };
  return thinking === undefined ? undefined : { mode: 'auto', ...shown };
}

function readFormat(body: JsonObject): ResponseFormat | undefined {
  const config = objectIn(body, 'output_config');
  const format = objectIn(config, 'format') ?? objectIn(body, 'output_format');
  const schema = objectIn(format, 'schema');
  return schema === undefined ? undefined : { kind: 'schema', schema, strict: true };
}
