/** Writes a Responses request from the hub, with the whole history: the vendor stores nothing. */
import { definedFields } from '../../domain/defined-fields.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { textOfBlocks } from '../hub/blocks.ts';
import type { RequestTarget } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import {
  type HubRequest,
  type ResponseFormat,
  rejectMultipleAnswers,
  type ToolChoice,
} from '../hub/request/request.ts';
import { sharedTier } from '../hub/request/service-tier.ts';
import { effortOf, type Reasoning } from '../hub/thinking/reasoning.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { boundedUserId } from '../openai/chat/hub-to-chat.ts';
import { writeInput } from './hub-to-item.ts';
import { SHARED_FIELDS } from './shared-fields.ts';
import { RESPONSES_TOOL_NAMES } from './tool-names.ts';
import { mostToolCalls, writeTools } from './tools.ts';

/** The API rejects lower values. */
const MIN_OUTPUT_TOKENS = 16;

/** @throws AppError field_wrong for audio or more than one answer. */
export function writeResponsesRequest(request: HubRequest, target: RequestTarget): JsonObject {
  rejectMultipleAnswers(request);
  const tools = writeTools(request);
  const { maxTokens, sampling } = request;
  return definedFields({
    ...sharedFields(request),
    model: target.model,
    instructions: textOfBlocks(request.system, '\n') || undefined,
    input: writeInput(request.messages),
    stream: target.stream ? true : undefined,
    store: false,
    include: ['reasoning.encrypted_content'],
    max_output_tokens: maxTokens && Math.max(MIN_OUTPUT_TOKENS, maxTokens),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? writeToolChoice(request) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallelTools : undefined,
    max_tool_calls: mostToolCalls(request),
    reasoning: request.reasoning && writeReasoning(request.reasoning),
    text: writeTextField(request),
    user: request.user && boundedUserId(request.user),
  });
}

function sharedFields(request: HubRequest): JsonObject {
  const chatExtras = extrasFor('openai', request);
  const shared = SHARED_FIELDS.map((name) => [name, chatExtras[name] ?? undefined]);
  const tier = sharedTier(request);
  return definedFields({
    prompt_cache_key: request.session,
    ...definedFields(Object.fromEntries(shared)),
    service_tier: tier,
  });
}

/** Requests a summary only if the client wants to see thinking: some accounts may not use it. */
function writeReasoning(reasoning: Reasoning): JsonObject | undefined {
  if (reasoning.mode === 'off') return { effort: 'none' };
  const effort = effortOf(reasoning);
  const isShown = reasoning.visible ?? reasoning.mode !== 'effort';
  const fields = definedFields({ effort, summary: isShown ? 'auto' : undefined });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function writeTextField({ format, verbosity }: HubRequest): JsonObject | undefined {
  if (format === undefined && verbosity === undefined) return undefined;
  return definedFields({ format: format && writeFormat(format), verbosity });
}

function writeFormat(format: ResponseFormat): JsonObject {
  if (format.kind === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema, strict = false } = format;
  return definedFields({ type: 'json_schema', name, description, schema, strict });
}

function writeToolChoice({ toolChoice, tools }: HubRequest): unknown {
  if (toolChoice === undefined) return undefined;
  const named = (name: string): JsonObject => {
    const isCustom = tools.some((tool) => tool.kind === 'custom' && tool.name === name);
    return {
      type: isCustom ? 'custom' : 'function',
      name: vendorToolName(name, RESPONSES_TOOL_NAMES),
    };
  };
  return written(toolChoice, named);
}

function written(choice: ToolChoice, named: (name: string) => JsonObject): unknown {
  switch (choice.mode) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.mode;
    case 'tool':
      return named(choice.name);
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', mode, tools: choice.names.map(named) };
    }
    default:
      return choice satisfies never;
  }
}
