/** The Responses API: items instead of a message, and one stream event per step. */

import type { Chunk } from '../../answers/chunk.ts';
import { type Choice, chatChoices, type ToolCall } from '../../content/choices.ts';
import { fingerprint, tokensIn } from '../../content/text.ts';
import { chatUsage, sendsUsage, type Usage } from '../../content/usage.ts';
import { type Composed, CREATED_AT_SEC, type Setting } from './chat-completions.ts';
import { chatOf, type ResponsesBody } from './responses-body.ts';

export function composeResponse(body: ResponsesBody, setting: Setting): Composed {
  const chat = chatOf(body);
  const [choice] = chatChoices(chat, setting.plan);
  const usage = chatUsage(chat, choice === undefined ? [] : [choice]);
  const items = choice === undefined ? [] : itemsOf(choice, body);
  const head = headOf(body, setting);
  const usageCounts = sendsUsage(setting.plan) ? countsOf(usage) : null;
  const end = { ...endOf(choice), output: items.map(({ item }) => item), usage: usageCounts };
  return {
    usage,
    get plain() {
      return { ...head, ...end };
    },
    get stream() {
      const chunks = framesOf(items, head, end);
      const names = { id: head.id, object: '', created: 0, model: setting.model };
      return { head: names, usage, chunks };
    },
  };
}

/** A compacted conversation, opaque to clients. */
export function composeCompaction(body: ResponsesBody, setting: Setting): Composed {
  const composed = composeResponse(body, setting);
  const encrypted_content = `gAAAA${fingerprint(JSON.stringify(body.input))}`;
  const id = `resp_${setting.id}`;
  const output = [{ type: 'compaction', id: `cmp_${setting.id}`, encrypted_content }];
  const plain = { id, object: 'response.compaction', created_at: CREATED_AT_SEC, output };
  return { ...composed, plain: { ...plain, usage: countsOf(composed.usage) } };
}

/** A stored response that is retrieved. */
export function keptResponse(id: string, action: string): object {
  if (action === 'input_items') return { object: 'list', data: [], has_more: false };
  const status = action === 'cancel' ? 'cancelled' : 'completed';
  return {
    id,
    object: 'response',
    created_at: CREATED_AT_SEC,
    status,
    model: 'gpt-kept',
    output: [],
  };
}

function headOf(body: ResponsesBody, { id, model }: Setting) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: CREATED_AT_SEC,
    background: false,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...body.reasoning },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...body.text },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    user: null,
  };
}

function countsOf(usage: Usage) {
  const { prompt_tokens_details: cached, completion_tokens_details: thought } = usage;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: cached?.cached_tokens ?? 0,
      cache_write_tokens: cached?.cache_write_tokens ?? 0,
    },
    output_tokens: usage.completion_tokens ?? 0,
    output_tokens_details: { reasoning_tokens: thought?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}

function endOf(choice: Choice | undefined) {
  const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' } as const;
  const finish = choice?.finish;
  const reason = finish === 'length' || finish === 'content_filter' ? reasons[finish] : undefined;
  return {
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
  };
}

interface Step {
  readonly type: string;
  readonly fields: object;
  readonly tokens?: number;
}

interface OutputItem {
  readonly item: object;
  readonly begun: object;
  readonly steps: readonly Step[];
}

/** Encrypted content that only this server accepts. */
const PROOF = 'gAAAAFakeProof==';

function itemsOf(choice: Choice, body: ResponsesBody): OutputItem[] {
  const name = fingerprint(JSON.stringify(choice.calls.length) + choice.pieces.join(''));
  const isShown = body.include?.includes('reasoning.encrypted_content') === true;
  return [
    ...(choice.reasoning.length > 0 ? [reasoningItem(choice, `rs_${name}`, isShown)] : []),
    ...(choice.pieces.length > 0 ? [messageItem(choice, `msg_${name}`)] : []),
    ...choice.calls.map(callItem),
  ];
}

function reasoningItem({ reasoning }: Choice, id: string, isShown: boolean): OutputItem {
  const text = reasoning.join('');
  const proof = isShown ? { encrypted_content: PROOF } : {};
  const position = { item_id: id, summary_index: 0 };
  const part = { type: 'summary_text', text };
  return {
    begun: { type: 'reasoning', id, summary: [] },
    item: { type: 'reasoning', id, summary: [part], ...proof },
    steps: [
      {
        type: 'reasoning_summary_part.added',
        fields: { ...position, part: { ...part, text: '' } },
      },
      ...reasoning.map((delta) => ({
        type: 'reasoning_summary_text.delta',
        fields: { ...position, delta, obfuscation: 'x' },
        tokens: tokensIn(delta),
      })),
      { type: 'reasoning_summary_text.done', fields: { ...position, text } },
      { type: 'reasoning_summary_part.done', fields: { ...position, part } },
    ],
  };
}

function messageItem({ pieces, refused, finish }: Choice, id: string): OutputItem {
  const text = pieces.join('');
  const position = { item_id: id, content_index: 0 };
  const partOf = (content: string) =>
    refused
      ? { type: 'refusal', refusal: content }
      : { type: 'output_text', text: content, annotations: [], logprobs: [] };
  const kind = refused ? 'refusal' : 'output_text';
  const whole = refused ? { refusal: text } : { text, logprobs: [] };
  const status = finish === 'length' ? 'incomplete' : 'completed';
  const message = { type: 'message', id, role: 'assistant' };
  return {
    begun: { ...message, status: 'in_progress', content: [] },
    item: { ...message, status, content: [partOf(text)] },
    steps: [
      { type: 'content_part.added', fields: { ...position, part: partOf('') } },
      ...pieces.map((delta) => ({
        type: `${kind}.delta`,
        fields: { ...position, delta, ...(refused ? {} : { logprobs: [] }), obfuscation: 'x' },
        tokens: tokensIn(delta),
      })),
      { type: `${kind}.done`, fields: { ...position, ...whole } },
      { type: 'content_part.done', fields: { ...position, part: partOf(text) } },
    ],
  };
}

function callItem({ id: callId, kind, name, pieces }: ToolCall): OutputItem {
  const text = pieces.join('');
  const isCustom = kind === 'custom';
  const id = `${isCustom ? 'ctc' : 'fc'}_${callId.slice(5)}`;
  const type = isCustom ? 'custom_tool_call' : 'function_call';
  const field = isCustom ? 'input' : 'arguments';
  const event = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
  const call = { type, id, call_id: callId, name };
  return {
    begun: { ...call, [field]: '', status: 'in_progress' },
    item: { ...call, [field]: text, status: 'completed' },
    steps: [
      ...pieces.map((delta) => ({
        type: `${event}.delta`,
        fields: { item_id: id, delta, obfuscation: 'x' },
        tokens: tokensIn(delta),
      })),
      { type: `${event}.done`, fields: { item_id: id, name, [field]: text } },
    ],
  };
}

function framesOf(
  items: readonly OutputItem[],
  head: object,
  end: { readonly status: string },
): Chunk[] {
  const open = {
    ...head,
    status: 'in_progress',
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const steps: Step[] = [
    { type: 'created', fields: { response: open } },
    { type: 'in_progress', fields: { response: open } },
    ...items.flatMap((usageCounts, output_index) => [
      { type: 'output_item.added', fields: { output_index, item: usageCounts.begun } },
      ...usageCounts.steps.map((step) => ({ ...step, fields: { output_index, ...step.fields } })),
      { type: 'output_item.done', fields: { output_index, item: usageCounts.item } },
    ]),
    { type: end.status, fields: { response: { ...head, ...end } } },
  ];
  return steps.map(({ type, fields, tokens = 0 }, sequence_number) => ({
    body: { type: `response.${type}`, sequence_number, ...fields },
    tokens,
    finishes: sequence_number === steps.length - 1,
  }));
}
