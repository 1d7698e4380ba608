/** Writes a request to Cohere's v2 chat: OpenAI's messages, settings under Cohere's names. */

import { definedFields } from '../../domain/defined-fields.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import type { RequestTarget } from '../hub/dialect.ts';
import { extrasFor } from '../hub/extras.ts';
import {
  functionsOf,
  type HubRequest,
  NO_PARAMETERS,
  rejectMultipleAnswers,
  type Sampling,
  type ToolChoice,
  withAllowedToolsOnly,
} from '../hub/request/request.ts';
import { systemBehindResults } from '../hub/request/turns.ts';
import type { Reasoning } from '../hub/thinking/reasoning.ts';
import { vendorToolName } from '../hub/tools/tool-names.ts';
import { CHAT_TOOL_NAMES } from '../openai/chat/chat-tool-names.ts';
import { writeChatMessage } from '../openai/chat/hub-to-chat-message.ts';

const MAX_STOPS = 5;
/** Cohere's own fields that chat clients may send. */
const OWN_FIELDS = ['documents', 'citation_options', 'safety_mode', 'strict_tools'] as const;
/** All other models reject the setting. */
const THINKS = /reasoning/;

/** @throws AppError field_wrong for more than one answer, for audio and for files. */
export function writeCohereRequest(
  given: HubRequest,
  { model, stream }: RequestTarget,
): JsonObject {
  rejectMultipleAnswers(given);
  const request = onlyChosen(given);
  const { stop } = request;
  const tools = writeTools(request);
  const own = extrasFor('openai', request);
  return definedFields({
    ...Object.fromEntries(OWN_FIELDS.map((name) => [name, own[name] ?? undefined])),
    model,
    messages: writeMessages(request),
    stream,
    ...(tools.length === 0 ? {} : { tools, tool_choice: choiceOf(request.toolChoice) }),
    response_format: writeFormat(request),
    max_tokens: request.maxTokens,
    stop_sequences: stop.length > 0 ? stop.slice(0, MAX_STOPS) : undefined,
    ...writeSampling(request.sampling),
    thinking:
      request.reasoning && THINKS.test(model) ? writeThinking(request.reasoning) : undefined,
  });
}

/** Values outside the accepted range are clamped (docs.cohere.com/v2/reference/chat). */
function writeSampling(sampling: Sampling): JsonObject {
  return {
    temperature: within(sampling.temperature, 0, 1),
    p: within(sampling.topP, 0.01, 0.99),
    k: within(sampling.topK, 0, 500),
    seed: sampling.seed,
    frequency_penalty: within(sampling.frequencyPenalty, 0, 1),
    presence_penalty: within(sampling.presencePenalty, 0, 1),
    logprobs: sampling.logprobs,
  };
}

function within(value: number | undefined, lowest: number, highest: number): number | undefined {
  return value === undefined ? undefined : Math.min(Math.max(value, lowest), highest);
}

/** A single tool cannot be forced by name, so only that tool is offered. */
function onlyChosen(request: HubRequest): HubRequest {
  const { toolChoice } = request;
  if (toolChoice?.mode !== 'tool') return withAllowedToolsOnly(request);
  const names = [toolChoice.name];
  return withAllowedToolsOnly({
    ...request,
    toolChoice: { mode: 'allowed', names, required: true },
  });
}

/** Omitted for auto. */
function choiceOf(choice: ToolChoice | undefined): string | undefined {
  if (choice?.mode === 'none') return 'NONE';
  return choice?.mode === 'required' ? 'REQUIRED' : undefined;
}

function writeTools(request: HubRequest): readonly JsonObject[] {
  return functionsOf(request.tools).map(({ name, description, schema }) => ({
    type: 'function',
    function: definedFields({
      name: vendorToolName(name, CHAT_TOOL_NAMES),
      description,
      parameters: schema ?? NO_PARAMETERS,
    }),
  }));
}

function writeMessages(request: HubRequest): readonly JsonObject[] {
  const opening = { role: 'system', blocks: request.system } as const;
  return [opening, ...systemBehindResults(request.messages)]
    .flatMap((message) => writeChatMessage({ ...message, extras: {} }, {}))
    .map(writeMessage);
}

/** Thinking before a call is sent as its plan; other thinking is not accepted. */
function writeMessage(message: JsonObject): JsonObject {
  const { role, content, tool_calls: calls, reasoning_content: plan, tool_call_id: id } = message;
  refuseMedia(content);
  return definedFields({
    role,
    content: content ?? (calls === undefined ? (message.refusal ?? '') : undefined),
    tool_calls: calls,
    tool_plan: calls === undefined ? undefined : plan,
    tool_call_id: id,
  });
}

const PARTS: ReadonlySet<string> = new Set(['text', 'image_url']);

function refuseMedia(content: unknown): void {
  const parts = objectsIn({ content }, 'content');
  if (parts.every((part) => PARTS.has(textIn(part, 'type') ?? ''))) return;
  throw wrongField('messages', 'texts_and_pictures');
}

function writeFormat({ format }: HubRequest): JsonObject | undefined {
  if (format === undefined) return undefined;
  const type = 'json_object';
  return format.kind === 'json' ? { type } : { type, json_schema: format.schema };
}

function writeThinking(reasoning: Reasoning): JsonObject {
  if (reasoning.mode === 'off') return { type: 'disabled' };
  const tokens = reasoning.mode === 'budget' ? { token_budget: reasoning.tokens } : {};
  return { type: 'enabled', ...tokens };
}
