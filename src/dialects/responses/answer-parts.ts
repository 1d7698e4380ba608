/** Parts of a response shared by streams and whole answers. */
import type { Usage } from '../../domain/pricing/usage.ts';
import { type JsonObject, objectsIn } from '../../json/read-json.ts';
import { STOPS, type Stop } from '../hub/answer/stop.ts';
import type { AudioBlock, Citation, ImageBlock } from '../hub/blocks.ts';
import type { AnswerContext } from '../hub/dialect.ts';
import { toResponsesUsage } from './usage.ts';

/** Request settings that an answer repeats, with their defaults; the API requires all of them. */
const REPEATED: Readonly<Record<string, unknown>> = {
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};

export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly JsonObject[];
  readonly usage?: Usage | undefined;
  readonly stop?: Stop | undefined;
  readonly error?: JsonObject;
}

/** `store` is false, because the response exists only for this call. */
export function responseOf(context: AnswerContext, state: ResponseState): JsonObject {
  const { requestBody = {} } = context;
  const { status, output, usage, stop, error } = state;
  const repeated = Object.entries(REPEATED).map(([name, usual]) => [
    name,
    requestBody[name] ?? usual,
  ]);
  const reason = stop && STOPS[stop].responses;
  return {
    id: `resp_${context.id}`,
    object: 'response',
    created_at: context.createdSec,
    completed_at: status === 'completed' ? (context.nowSec?.() ?? context.createdSec) : null,
    status,
    background: false,
    error: error ?? null,
    incomplete_details: status === 'incomplete' && reason !== undefined ? { reason } : null,
    model: context.model,
    output,
    ...Object.fromEntries(repeated),
    tools: objectsIn(requestBody, 'tools').map(repeatedTool),
    ...(usage?.tier === undefined ? {} : { service_tier: usage.tier }),
    store: false,
    usage: usage === undefined ? null : toResponsesUsage(usage),
  };
}

/** With the fields of a function that a client may omit. */
function repeatedTool(tool: JsonObject): JsonObject {
  if (tool.type !== 'function') return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}

/** The response status for a stop reason. */
export function statusOf(stop: Stop): 'completed' | 'incomplete' {
  return STOPS[stop].responses === undefined ? 'completed' : 'incomplete';
}

export function writeAnnotation(
  { url, title = '', start, end }: Citation,
  range: { readonly start: number; readonly end: number },
): JsonObject {
  const span = { start_index: start ?? range.start, end_index: end ?? range.end };
  return { type: 'url_citation', ...span, title, url };
}

export function textPart(text: string, annotations: readonly JsonObject[] = []): JsonObject {
  return { type: 'output_text', text, annotations, logprobs: [] };
}

export function messageItem(
  id: string,
  status: 'in_progress' | 'completed' | 'incomplete',
  content: readonly JsonObject[],
): JsonObject {
  return { type: 'message', id, status, role: 'assistant', content };
}

export function reasoningItem(id: string, text: string, proof: string | undefined): JsonObject {
  const summary = text === '' ? [] : [summaryPart(text)];
  const encrypted = proof === undefined ? {} : { encrypted_content: proof };
  return { type: 'reasoning', id, summary, ...encrypted };
}

export function summaryPart(text: string): JsonObject {
  return { type: 'summary_text', text };
}

export interface CallItem {
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly isCustom: boolean;
  readonly args: string;
}

export function callItem(call: CallItem, status: 'in_progress' | 'completed'): JsonObject {
  const { id, callId, name, namespace, isCustom, args } = call;
  const head = { id, call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) };
  return isCustom
    ? { type: 'custom_tool_call', ...head, input: args }
    : { type: 'function_call', ...head, arguments: args, status };
}

/** The bytes of an image; an image URL goes into the text instead. */
export function imageBytesOf({ kind, source }: ImageBlock | AudioBlock): string | undefined {
  return kind === 'image' && source.kind === 'base64' ? source.data : undefined;
}

export function imageItem(id: string, result: string): JsonObject {
  return { type: 'image_generation_call', id, status: 'completed', result };
}

export function mediaText({ kind, source }: ImageBlock | AudioBlock): string {
  return kind === 'image' && source.kind === 'url' ? `![image](${source.url})` : '';
}
