/**
 * Anthropic's Messages API. It refuses unknown fields, as Anthropic does, so an untranslated body
 * of another dialect fails.
 */
import * as z from 'zod/mini';
import { frameSet } from '../../answers/frame-set.ts';
import { type Composed, framedAnswer, type Setting } from '../../answers/framed-answer.ts';
import type { Choice } from '../../content/choices.ts';
import { sendsUsage, type Usage } from '../../content/usage.ts';
import { type ChatBody, type Message, type Part, textOf } from '../openai/request-fields.ts';
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
  const system = textOf(body.system);
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
  return [
    ...results.map((result) => ({ role: 'tool', content: textOf(result.content) })),
    ...turns,
  ];
}

function urlOf(source: z.output<typeof Source>): string {
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  return source.type === 'url' ? source.url : source.file_id;
}

function choiceOf({ tool_choice: choice }: MessagesBody): ChatBody['tool_choice'] {
  if (choice?.type === 'tool') return { type: 'function', function: { name: String(choice.name) } };
  return choice?.type === 'any' ? 'required' : choice?.type;
}

const STOPS: Readonly<Record<Choice['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

const FRAMES = frameSet('messages');

export function composeMessages(body: MessagesBody, setting: Setting): Composed {
  const own = { ...setting, id: `msg_${setting.id}` };
  return framedAnswer(FRAMES, chatOf(body), own, (usage, { finish }) => ({
    finish: STOPS[finish],
    ...(sendsUsage(setting.plan) ? countsIn(usage) : {}),
  }));
}

/** On clouds, whose paths contain the model. */
export function composeHosted(body: Omit<MessagesBody, 'model'>, setting: Setting): Composed {
  return composeMessages({ ...body, model: setting.model }, setting);
}

function countsIn(usage: Usage) {
  const counts = countsOf(usage);
  const { output_tokens, output_tokens_details } = counts;
  return {
    counts,
    countsAtStart: { ...counts, output_tokens: 1 },
    countsAtEnd: { output_tokens, ...(output_tokens_details ? { output_tokens_details } : {}) },
  };
}

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
