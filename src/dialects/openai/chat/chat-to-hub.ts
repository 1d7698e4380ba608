/**
 * Reads a chat completions request into the hub (developers.openai.com/api/reference, "Create chat
 * completion").
 */
import { missingField } from '../../../domain/errors/field-errors.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../../json/read-json.ts';
import type { TextBlock } from '../../hub/blocks.ts';
import { unknownFields } from '../../hub/extras.ts';
import type {
  HubMessage,
  HubRequest,
  ResponseFormat,
  Sampling,
  Tool,
  ToolChoice,
} from '../../hub/request/request.ts';
import { isEffort, type Reasoning } from '../../hub/thinking/reasoning.ts';
import { validateRequest } from '../validate.ts';
import { readChatMessage } from './chat-message-to-hub.ts';

/** Fields with an equivalent in the hub; all others are kept unchanged. */
const KNOWN = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'top_k',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'n',
  'stop',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'verbosity',
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'modalities',
  'user',
  'safety_identifier',
  'web_search_options',
  'extra_body',
]);

/** @throws AppError field_missing, field_wrong */
export function readChatRequest(sent: JsonObject): HubRequest {
  // Some SDKs send `extra_body` as a field; others merge it into the body.
  const body = { ...objectIn(sent, 'extra_body'), ...sent };
  validateRequest('chat', body);
  const { system, messages } = readMessages(body);
  const parallel = body.parallel_tool_calls;
  return {
    model: String(body.model),
    stream: body.stream === true,
    system,
    messages,
    tools: readTools(body),
    toolChoice: readToolChoice(body.tool_choice ?? body.function_call),
    ...(typeof parallel === 'boolean' ? { parallelTools: parallel } : {}),
    maxTokens: positive(numberIn(body, 'max_completion_tokens') ?? numberIn(body, 'max_tokens')),
    sampling: readSampling(body),
    stop: readStop(body.stop),
    reasoning: readReasoning(body),
    format: readFormat(body),
    verbosity: textIn(body, 'verbosity'),
    modalities: readModalities(body),
    user: textIn(body, 'user') ?? textIn(body, 'safety_identifier'),
    count: numberIn(body, 'n'),
    ...unknownFields('openai', body, KNOWN),
  };
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

function readMessages(body: JsonObject): { system: readonly TextBlock[]; messages: HubMessage[] } {
  const read = objectsIn(body, 'messages').map((message, index) =>
    readChatMessage(message, `messages.${index}`),
  );
  const firstOther = read.findIndex((message) => message.role !== 'system');
  const opening = read.slice(0, firstOther === -1 ? read.length : firstOther);
  return {
    system: opening.flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'text')),
    messages: named(read.slice(opening.length)),
  };
}

/** Legacy calls have no id; a result belongs to the last call of the same name. */
function named(messages: readonly HubMessage[]): HubMessage[] {
  const lastCall = new Map<string, string>();
  return messages.map((message, index) => {
    const blocks = message.blocks.map((block) => {
      if (block.kind === 'tool_call') {
        const id = block.id === '' ? `call_${index}` : block.id;
        lastCall.set(block.name, id);
        return { ...block, id };
      }
      if (block.kind !== 'tool_result' || block.callId !== '') return block;
      return { ...block, callId: lastCall.get(block.name ?? '') ?? '' };
    });
    return { ...message, blocks };
  });
}

function readSampling(body: JsonObject): Sampling {
  return {
    temperature: numberIn(body, 'temperature'),
    topP: numberIn(body, 'top_p'),
    topK: numberIn(body, 'top_k'),
    seed: numberIn(body, 'seed'),
    presencePenalty: numberIn(body, 'presence_penalty'),
    frequencyPenalty: numberIn(body, 'frequency_penalty'),
    ...(typeof body.logprobs === 'boolean' ? { logprobs: body.logprobs } : {}),
    topLogprobs: numberIn(body, 'top_logprobs'),
  };
}

function readStop(stop: unknown): readonly string[] {
  const given = Array.isArray(stop) ? stop : [stop];
  return given.filter((text) => typeof text === 'string' && text !== '');
}

function readTools(body: JsonObject): readonly Tool[] {
  const search = objectIn(body, 'web_search_options');
  const legacy = objectsIn(body, 'functions').map((fn) => readTool({ function: fn }));
  return [
    ...objectsIn(body, 'tools').map(readTool),
    ...legacy,
    ...(search === undefined
      ? []
      : [{ kind: 'web_search', origin: 'openai', value: search } as const]),
  ];
}

const KNOWN_FUNCTION = new Set(['name', 'description', 'parameters', 'strict']);

function readTool(tool: JsonObject): Tool {
  const fn = objectIn(tool, 'function');
  // Cursor sends custom tools to this endpoint in the flat form of the Responses API.
  const custom = objectIn(tool, 'custom') ?? (tool.type === 'custom' ? tool : undefined);
  if (fn !== undefined && textIn(fn, 'name') !== undefined) {
    return {
      kind: 'function',
      name: textIn(fn, 'name') ?? '',
      description: textIn(fn, 'description'),
      schema: objectIn(fn, 'parameters'),
      ...(typeof fn.strict === 'boolean' ? { strict: fn.strict } : {}),
      cache: objectIn(tool, 'cache_control'),
      ...unknownFields('openai', fn, KNOWN_FUNCTION),
    };
  }
  if (custom !== undefined && textIn(custom, 'name') !== undefined) {
    return {
      kind: 'custom',
      name: textIn(custom, 'name') ?? '',
      description: textIn(custom, 'description'),
      format: objectIn(custom, 'format'),
    };
  }
  return { kind: 'foreign', origin: 'openai', value: tool };
}

function readToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice };
  if (!isObject(choice)) return undefined;
  const allowed = objectIn(choice, 'allowed_tools');
  if (allowed !== undefined) {
    const names = objectsIn(allowed, 'tools').flatMap((tool) => nameIn(tool) ?? []);
    return { mode: 'allowed', names, required: allowed.mode === 'required' };
  }
  const name = nameIn(choice);
  return name === undefined ? undefined : { mode: 'tool', name };
}

function nameIn(holder: JsonObject): string | undefined {
  const inner = objectIn(holder, 'function') ?? objectIn(holder, 'custom') ?? holder;
  return textIn(inner, 'name');
}

function readFormat(body: JsonObject): ResponseFormat | undefined {
  const format = objectIn(body, 'response_format');
  if (format?.type === 'json_object') return { kind: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const given = objectIn(format, 'json_schema');
  const schema = objectIn(given, 'schema');
  if (schema === undefined) {
    const field = 'response_format.json_schema.schema';
    throw missingField(field);
  }
  return {
    kind: 'schema',
    name: textIn(given, 'name'),
    description: textIn(given, 'description'),
    schema,
    ...(typeof given?.strict === 'boolean' ? { strict: given.strict } : {}),
  };
}

function readModalities(body: JsonObject): readonly string[] | undefined {
  const { modalities } = body;
  if (!Array.isArray(modalities)) return undefined;
  return modalities.filter((kind) => typeof kind === 'string').map((kind) => kind.toLowerCase());
}

/** OpenAI's field and those of compatible servers; the first one that is set applies. */
function readReasoning(body: JsonObject): Reasoning | undefined {
  return (
    ofEffort(body.reasoning_effort) ??
    ofReasoning(objectIn(body, 'reasoning')) ??
    ofThinking(objectIn(body, 'thinking')) ??
    ofSwitch(body) ??
    ofGoogle(body)
  );
}

function ofEffort(effort: unknown): Reasoning | undefined {
  if (effort === 'none') return { mode: 'off' };
  return isEffort(effort) ? { mode: 'effort', level: effort } : undefined;
}

/** OpenRouter's field. */
function ofReasoning(reasoning: JsonObject | undefined): Reasoning | undefined {
  if (reasoning === undefined) return undefined;
  const shown = reasoning.exclude === true ? { visible: false } : {};
  const budget = positive(numberIn(reasoning, 'max_tokens'));
  if (reasoning.enabled === false) return { mode: 'off' };
  if (budget !== undefined) return { mode: 'budget', tokens: budget, ...shown };
  const effort = ofEffort(reasoning.effort);
  if (effort !== undefined) return { ...effort, ...shown };
  return reasoning.enabled === true ? { mode: 'auto', ...shown } : undefined;
}

/** Anthropic's field, which other vendors adopted. */
function ofThinking(thinking: JsonObject | undefined): Reasoning | undefined {
  if (thinking === undefined) return undefined;
  if (thinking.type === 'disabled') return { mode: 'off' };
  const budget = positive(numberIn(thinking, 'budget_tokens'));
  if (budget !== undefined) return { mode: 'budget', tokens: budget };
  return thinking.type === 'enabled' || thinking.type === 'adaptive' ? { mode: 'auto' } : undefined;
}

/** Qwen's pair of fields. */
function ofSwitch(body: JsonObject): Reasoning | undefined {
  if (body.enable_thinking === false) return { mode: 'off' };
  const budget = positive(numberIn(body, 'thinking_budget'));
  if (budget !== undefined) return { mode: 'budget', tokens: budget };
  return body.enable_thinking === true ? { mode: 'auto' } : undefined;
}

/** Google's extension of its OpenAI-compatible endpoint. */
function ofGoogle(body: JsonObject): Reasoning | undefined {
  const config = objectIn(objectIn(body, 'google'), 'thinking_config');
  if (config === undefined) return undefined;
  const visible = config.include_thoughts === true ? { visible: true } : {};
  const level = textIn(config, 'thinking_level')?.toLowerCase();
  if (isEffort(level)) return { mode: 'effort', level, ...visible };
  const budget = numberIn(config, 'thinking_budget');
  if (budget === 0) return { mode: 'off' };
  if (budget !== undefined && budget > 0) return { mode: 'budget', tokens: budget, ...visible };
  return { mode: 'auto', ...visible };
}
