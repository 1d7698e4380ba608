/** Writes a chat request from the hub; `shapeBody` then applies the provider's body rules. */
import { definedFields } from '../../../domain/defined-fields.ts';
import type { JsonObject } from '../../../json/read-json.ts';
import type { ChatTarget, RequestTarget } from '../../hub/dialect.ts';
import { extrasFor } from '../../hub/extras.ts';
import {
  customAsFunction,
  type FunctionTool,
  type HubMessage,
  type HubRequest,
  NO_PARAMETERS,
  type ResponseFormat,
  type Tool,
  type ToolChoice,
} from '../../hub/request/request.ts';
import { sharedTier } from '../../hub/request/service-tier.ts';
import { systemBehindResults } from '../../hub/request/turns.ts';
import { effortOf, type Reasoning } from '../../hub/thinking/reasoning.ts';
import { sha256Hex, vendorToolName } from '../../hub/tools/tool-names.ts';
import { SHARED_FIELDS } from '../../responses/shared-fields.ts';
import { CHAT_TOOL_NAMES } from './chat-tool-names.ts';
import { writeChatMessage } from './hub-to-chat-message.ts';

const MAX_STOPS = 4;
const MAX_USER_CHARS = 64;

export function writeChatRequest(request: HubRequest, target: RequestTarget): JsonObject {
  const chat = target.chat ?? {};
  return definedFields({
    ...extrasFor('openai', request),
    ...(chat.strict ? sharedFields(request) : {}),
    model: target.model,
    messages: writeMessages(request, chat),
    ...(target.stream ? { stream: true } : {}),
    max_tokens: request.maxTokens,
    ...writeSampling(request),
    stop: request.stop.length > 0 ? request.stop.slice(0, MAX_STOPS) : undefined,
    ...writeTools(request, chat),
    response_format: request.format && writeFormat(request.format),
    reasoning_effort: chat.takesEffort ? writeEffort(request.reasoning) : undefined,
    verbosity: chat.strict ? request.verbosity : undefined,
    modalities: request.modalities,
    user: request.user && boundedUserId(request.user),
    n: request.count,
    web_search_options: searchOptions(request.tools),
  });
}

/** Fields shared with the Responses dialect; compatible servers reject unknown fields. */
function sharedFields(request: HubRequest): JsonObject {
  const responsesExtras = extrasFor('responses', request);
  const shared = SHARED_FIELDS.map((name) => [name, responsesExtras[name] ?? undefined]);
  const tier = sharedTier(request);
  return definedFields({
    prompt_cache_key: request.session,
    ...definedFields(Object.fromEntries(shared)),
    service_tier: tier,
  });
}

function writeSampling({ sampling }: HubRequest): JsonObject {
  return {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    logprobs: sampling.logprobs,
    top_logprobs: sampling.topLogprobs,
  };
}

function writeMessages(request: HubRequest, chat: ChatTarget): readonly JsonObject[] {
  const late = chat.systemFirst
    ? request.messages.filter(({ role }) => role === 'system').flatMap(({ blocks }) => blocks)
    : [];
  const messages = chat.systemFirst
    ? request.messages.filter(({ role }) => role !== 'system')
    : systemBehindResults(request.messages);
  const opening: HubMessage = { role: 'system', blocks: [...request.system, ...late] };
  return [opening, ...messages].flatMap((message) => writeChatMessage(message, chat));
}

function writeTools(request: HubRequest, chat: ChatTarget): JsonObject {
  const tools = request.tools.flatMap((tool) => writeTool(tool, chat));
  if (tools.length === 0) return {};
  return {
    tools,
    tool_choice: request.toolChoice && writeToolChoice(request.toolChoice),
    parallel_tool_calls: request.parallelTools,
  };
}

function writeTool(tool: Tool, chat: ChatTarget): readonly JsonObject[] {
  switch (tool.kind) {
    case 'function':
      return [writeFunction(tool, chat)];
    case 'custom':
      // Few servers other than OpenAI's support them.
      return chat.strict ? [writeCustom(tool)] : [writeFunction(customAsFunction(tool), chat)];
    case 'foreign':
      return tool.origin === 'openai' ? [tool.value] : [];
    // Chat has a separate field for web search; search tools of other vendors are not supported.
    case 'web_search':
      return [];
    default:
      return tool satisfies never;
  }
}

function writeFunction(tool: FunctionTool, chat: ChatTarget): JsonObject {
  const { description, schema, strict } = tool;
  return {
    type: 'function',
    function: {
      ...extrasFor('openai', tool),
      name: vendorToolName(tool.name, CHAT_TOOL_NAMES),
      ...(description === undefined ? {} : { description }),
      parameters: schema ?? NO_PARAMETERS,
      ...(strict === undefined ? {} : { strict }),
    },
    ...(chat.cacheMarks && tool.cache !== undefined ? { cache_control: tool.cache } : {}),
  };
}

function writeCustom(tool: Extract<Tool, { kind: 'custom' }>): JsonObject {
  const { name, description, format } = tool;
  return {
    type: 'custom',
    custom: definedFields({ name: vendorToolName(name, CHAT_TOOL_NAMES), description, format }),
  };
}

function writeToolChoice(choice: ToolChoice): unknown {
  const named = (name: string) => ({
    type: 'function',
    function: { name: vendorToolName(name, CHAT_TOOL_NAMES) },
  });
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return named(choice.name);
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', allowed_tools: { mode, tools: choice.names.map(named) } };
    }
    default:
      return choice satisfies never;
  }
}

function searchOptions(tools: readonly Tool[]): JsonObject | undefined {
  const search = tools.find((tool) => tool.kind === 'web_search');
  return search?.origin === 'openai' ? search.value : undefined;
}

function writeFormat(format: ResponseFormat): JsonObject {
  if (format.kind === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema, strict } = format;
  return { type: 'json_schema', json_schema: definedFields({ name, description, schema, strict }) };
}

/** Omitted if the model decides. */
function writeEffort(reasoning: Reasoning | undefined): string | undefined {
  if (reasoning === undefined) return undefined;
  return reasoning.mode === 'off' ? 'none' : effortOf(reasoning);
}

/** Longer ids are rejected; the hash still distinguishes users. */
export function boundedUserId(user: string): string {
  return user.length <= MAX_USER_CHARS ? user : sha256Hex(user);
}
