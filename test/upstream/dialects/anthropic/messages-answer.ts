/**
 * Anthropic's Messages API. It refuses unknown fields, as Anthropic does, so an untranslated body
 * of another dialect fails.
 */
import * as z from 'zod/mini';
import type { Chunk } from '../../answers/chunk.ts';
import { type Choice, chatChoices } from '../../content/choices.ts';
import { tokensIn } from '../../content/text.ts';
import { chatUsage, sendsUsage, type Usage } from '../../content/usage.ts';
import type { Composed, Setting } from '../openai/chat-completions.ts';
import type { ChatBody, Message, Part } from '../openai/request-fields.ts';
import { anthropicRules } from './message-rules.ts';

const Source = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.strictObject({ type: z.literal('url'), url: z.string() }),
  z.strictObject({ type: z.literal('file'), file_id: z.string() }),
]);

const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string().check(z.regex(/\S/)) }),
  z.looseObject({ type: z.literal('image'), source: Source }),
  z.looseObject({ type: z.enum(['document', 'redacted_thinking', 'search_result']) }),
  z.looseObject({ type: z.literal('thinking'), signature: z.string().check(z.minLength(1)) }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.optional(z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])),
  }),
]);

const Content = z.union([z.string(), z.array(Block).check(z.minLength(1))]);

const Fields = z.strictObject({
  model: z.string(),
  max_tokens: z.int().check(z.positive()),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content: Content }))
    .check(z.minLength(1)),
  system: z.optional(z.union([z.string(), z.array(z.looseObject({ type: z.literal('text') }))])),
  stream: z.optional(z.boolean()),
  temperature: z.optional(z.number().check(z.gte(0), z.lte(1))),
  top_p: z.optional(z.number()),
  top_k: z.optional(z.int()),
  stop_sequences: z.optional(z.array(z.string())),
  tools: z.optional(
    z.array(
      z.union([
        z.looseObject({
          name: z.string(),
          input_schema: z.looseObject({ type: z.literal('object') }),
        }),
        // A tool that runs at the vendor.
        z.strictObject({
          type: z.string().check(z.regex(/^web_search_\d+$/)),
          name: z.literal('web_search'),
          max_uses: z.optional(z.int()),
        }),
      ]),
    ),
  ),
  tool_choice: z.optional(z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']) })),
  thinking: z.optional(z.looseObject({ type: z.string() })),
  output_config: z.optional(
    z.strictObject({
      effort: z.optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: z.optional(z.strictObject({ type: z.literal('json_schema'), schema: z.unknown() })),
    }),
  ),
  metadata: z.optional(z.strictObject({ user_id: z.string() })),
  service_tier: z.optional(z.string()),
  cache_control: z.optional(z.looseObject({})),
  context_management: z.optional(z.looseObject({})),
});

export const MessagesBody = Fields.check(...anthropicRules);

type MessagesBody = z.output<typeof MessagesBody>;

/** Clouds fetch nothing: every source must contain its bytes. */
const fetchesNothing = z.refine<{ readonly messages: unknown }>(
  ({ messages }) => !JSON.stringify(messages).includes('"type":"url"'),
  'URL sources are not supported',
);

/** On Bedrock the path contains the model and the stream flag. */
export const InvokeBody = z
  .extend(z.omit(Fields, { model: true, stream: true, service_tier: true }), {
    anthropic_version: z.literal('bedrock-2023-05-31'),
    anthropic_beta: z.optional(z.array(z.string())),
    context_management: z.optional(z.looseObject({})),
  })
  .check(fetchesNothing, ...anthropicRules);

/** On Vertex the path contains the model. */
export const RawPredictBody = z
  .extend(z.omit(Fields, { model: true, service_tier: true }), {
    anthropic_version: z.literal('vertex-2023-10-16'),
  })
  .check(fetchesNothing, ...anthropicRules);

/** Converts the request to the internal form of this server. */
function chatOf(body: MessagesBody): ChatBody {
  const system =
    typeof body.system === 'string' ? body.system : resultText({ content: body.system });
  const format = body.output_config?.format;
  return {
    model: body.model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...body.messages.flatMap(messagesOf),
    ],
    max_tokens: body.max_tokens,
    stop: body.stop_sequences,
    tools: body.tools?.flatMap((tool) =>
      'input_schema' in tool
        ? [{ type: 'function', function: { name: tool.name, parameters: tool.input_schema } }]
        : [],
    ),
    tool_choice: choiceOf(body),
    parallel_tool_calls: body.tool_choice?.disable_parallel_tool_use !== true,
    thinking: body.thinking,
    ...(format ? { response_format: { type: 'json_schema', json_schema: format } } : {}),
  };
}

function messagesOf({ role, content }: MessagesBody['messages'][number]): Message[] {
  if (typeof content === 'string') return [{ role, content }];
  const results = content.filter((block) => block.type === 'tool_result');
  const parts = content.flatMap((block): Part[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    return block.type === 'image' ? [{ type: 'image_url', image_url: urlOf(block.source) }] : [];
  });
  const turns = parts.length > 0 ? [{ role, content: parts }] : [];
  return [...results.map((result) => ({ role: 'tool', content: resultText(result) })), ...turns];
}

function urlOf(source: z.output<typeof Source>): string {
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  return source.type === 'url' ? source.url : source.file_id;
}

function choiceOf({ tool_choice: choice }: MessagesBody): ChatBody['tool_choice'] {
  if (choice?.type === 'tool') return { type: 'function', function: { name: String(choice.name) } };
  return choice?.type === 'any' ? 'required' : choice?.type;
}

function resultText({ content }: { readonly content?: unknown }): string {
  if (typeof content === 'string') return content;
  const parts: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join(' ');
}

const STOPS: Readonly<Record<Choice['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

export function composeMessages(body: MessagesBody, setting: Setting): Composed {
  const chat = chatOf(body);
  const [choice] = chatChoices(chat, setting.plan);
  const usage = chatUsage(chat, choice === undefined ? [] : [choice]);
  const head = {
    id: `msg_${setting.id}`,
    type: 'message',
    role: 'assistant',
    model: setting.model,
  };
  const counts = sendsUsage(setting.plan) ? countsOf(usage) : undefined;
  return {
    usage,
    get plain() {
      const end = { stop_reason: STOPS[choice?.finish ?? 'stop'], stop_sequence: null };
      return {
        ...head,
        content: choice === undefined ? [] : contentOf(choice),
        ...end,
        usage: counts,
      };
    },
    get stream() {
      const chunks = choice === undefined ? [] : framesOf(choice, head, counts);
      return { head: { id: head.id, object: '', created: 0, model: setting.model }, usage, chunks };
    },
  };
}

type Counts = ReturnType<typeof countsOf>;

/** Input tokens exclude cached tokens. */
function countsOf(usage: Usage) {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const thoughts = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    input_tokens: usage.prompt_tokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage.completion_tokens ?? 0,
    ...(thoughts > 0 ? { output_tokens_details: { thinking_tokens: thoughts } } : {}),
  };
}

function outputOf({ output_tokens, output_tokens_details }: Counts) {
  return { output_tokens, ...(output_tokens_details ? { output_tokens_details } : {}) };
}

/** A signature that only this server accepts. */
const SIGNATURE = 'RmFrZVNpZ25hdHVyZQ==';

function contentOf(choice: Choice): object[] {
  const thinking = choice.reasoning.join('');
  const text = choice.pieces.join('');
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking, signature: SIGNATURE }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...choice.calls.map(({ id, name, pieces }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(pieces.join('') || '{}'),
    })),
  ];
}

function frame(type: string, fields: object, tokens = 0): Chunk {
  return { body: { type, ...fields }, tokens, finishes: type === 'message_delta' };
}

function framesOf(choice: Choice, head: object, counts: Counts | undefined): Chunk[] {
  const message = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: counts && { ...counts, output_tokens: 1 },
  };
  const delta = { stop_reason: STOPS[choice.finish], stop_sequence: null };
  return [
    frame('message_start', { message }),
    frame('ping', {}),
    ...blocksOf(choice).flatMap((block, index) => blockFrames(block, index)),
    frame('message_delta', { delta, usage: counts && outputOf(counts) }),
    frame('message_stop', {}),
  ];
}

interface StreamBlock {
  readonly start: object;
  readonly deltas: readonly (readonly [delta: object, tokens: number])[];
}

function blocksOf(choice: Choice): StreamBlock[] {
  const counted = (delta: object, piece: string) => [delta, tokensIn(piece)] as const;
  const thoughts = choice.reasoning.map((thinking) =>
    counted({ type: 'thinking_delta', thinking }, thinking),
  );
  const signature = [{ type: 'signature_delta', signature: SIGNATURE }, 0] as const;
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  const texts = choice.pieces.map((text) => counted({ type: 'text_delta', text }, text));
  return [
    ...(thoughts.length > 0 ? [{ start: thinking, deltas: [...thoughts, signature] }] : []),
    ...(texts.length > 0 ? [{ start: { type: 'text', text: '' }, deltas: texts }] : []),
    ...choice.calls.map(({ id, name, pieces }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: ['', ...pieces].map((json) =>
        counted({ type: 'input_json_delta', partial_json: json }, json),
      ),
    })),
  ];
}

function blockFrames({ start, deltas }: StreamBlock, index: number): Chunk[] {
  return [
    frame('content_block_start', { index, content_block: start }),
    ...deltas.map(([delta, tokens]) => frame('content_block_delta', { index, delta }, tokens)),
    frame('content_block_stop', { index }),
  ];
}
