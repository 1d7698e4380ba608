/** Bedrock's Converse API. It refuses unknown fields, as Bedrock does. */
import * as z from 'zod/mini';
import type { Chunk } from '../answers/chunk.ts';
import { frameSet } from '../answers/frame-set.ts';
import { type Composed, framedAnswer, type Setting } from '../answers/framed-answer.ts';
import type { Choice } from '../content/choices.ts';
import type { Usage } from '../content/usage.ts';
import type { ChatBody, Message as ChatMessage, Part } from '../dialects/openai/request-fields.ts';
import { eventFrame } from './aws-event-stream.ts';

const Bytes = z.strictObject({ bytes: z.string().check(z.minLength(1)) });
const Text = z.string().check(z.minLength(1));
const Image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: Bytes });
const Document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z.string().check(z.regex(/^[A-Za-z0-9\s()[\]-]+$/)),
  source: Bytes,
});
const Name = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));
const Fields = z.record(z.string(), z.unknown());

const ResultPart = z.strictObject({
  text: z.optional(Text),
  json: z.optional(Fields),
  image: z.optional(Image),
  document: z.optional(Document),
});

const Block = z.strictObject({
  text: z.optional(Text),
  image: z.optional(Image),
  document: z.optional(Document),
  toolUse: z.optional(z.strictObject({ toolUseId: Name, name: Name, input: Fields })),
  toolResult: z.optional(
    z.strictObject({
      toolUseId: Name,
      content: z.array(ResultPart).check(z.minLength(1)),
      status: z.optional(z.enum(['success', 'error'])),
    }),
  ),
  cachePoint: z.optional(z.strictObject({ type: z.literal('default') })),
});

const Tool = z.strictObject({
  toolSpec: z.optional(
    z.strictObject({
      name: Name,
      description: z.optional(Text),
      inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
    }),
  ),
  cachePoint: z.optional(z.strictObject({ type: z.literal('default') })),
});

const Message = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(Block).check(z.minLength(1)),
});

export const ConverseBody = z
  .strictObject({
    messages: z.array(Message).check(z.minLength(1)),
    system: z.optional(z.array(Block)),
    inferenceConfig: z.optional(
      z.strictObject({
        maxTokens: z.optional(z.int().check(z.positive())),
        temperature: z.optional(z.number().check(z.gte(0), z.lte(1))),
        topP: z.optional(z.number()),
        stopSequences: z.optional(z.array(z.string())),
      }),
    ),
    toolConfig: z.optional(
      z.strictObject({
        tools: z.array(Tool).check(z.minLength(1)),
        toolChoice: z.optional(
          z.strictObject({
            auto: z.optional(z.strictObject({})),
            any: z.optional(z.strictObject({})),
            tool: z.optional(z.strictObject({ name: Name })),
          }),
        ),
      }),
    ),
    additionalModelRequestFields: z.optional(Fields),
  })
  .check(
    z.refine(
      ({ messages }) => messages[0]?.role === 'user',
      'A conversation must start with a user message',
    ),
    z.refine(
      ({ messages }) => messages.every(({ role }, at) => role !== messages[at + 1]?.role),
      'Roles must alternate',
    ),
    z.refine(
      ({ messages, toolConfig }) =>
        toolConfig !== undefined ||
        !messages.some(({ content }) =>
          content.some(({ toolUse, toolResult }) => toolUse ?? toolResult),
        ),
      'The toolConfig field must be defined when using toolUse and toolResult content blocks',
    ),
  );

type ConverseBody = z.output<typeof ConverseBody>;

function dataUrl({ format, source }: z.output<typeof Image>): string {
  return `data:image/${format};base64,${source.bytes}`;
}

function chatOf(body: ConverseBody, model: string): ChatBody {
  const messages = body.messages.flatMap(({ role, content }): ChatMessage[] => {
    const results = content.flatMap(({ toolResult }) =>
      toolResult === undefined ? [] : [{ role: 'tool', content: resultText(toolResult.content) }],
    );
    const parts = content.flatMap(({ text, image }): Part[] => {
      if (image !== undefined) return [{ type: 'image_url', image_url: dataUrl(image) }];
      return text === undefined ? [] : [{ type: 'text', text }];
    });
    return [...results, ...(parts.length > 0 ? [{ role, content: parts }] : [])];
  });
  const { maxTokens, stopSequences } = body.inferenceConfig ?? {};
  return {
    model,
    messages,
    max_tokens: maxTokens,
    stop: stopSequences,
    tools: body.toolConfig?.tools.flatMap(({ toolSpec }) =>
      toolSpec === undefined
        ? []
        : [
            {
              type: 'function',
              function: { name: toolSpec.name, parameters: toolSpec.inputSchema.json },
            },
          ],
    ),
    tool_choice: body.toolConfig?.toolChoice?.any === undefined ? undefined : 'required',
  };
}

function resultText(parts: readonly z.output<typeof ResultPart>[]): string {
  return parts.map(({ text, json }) => text ?? JSON.stringify(json ?? {})).join(' ');
}

const STOPS: Readonly<Record<Choice['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'content_filtered',
};

const FRAMES = frameSet('converse');

export function composeConverse(body: ConverseBody, setting: Setting): Composed {
  return framedAnswer(FRAMES, chatOf(body, setting.model), setting, (usage, { finish }) => ({
    finish: STOPS[finish],
    counts: countsOf(usage),
  }));
}

/** Input tokens exclude cached tokens. */
function countsOf(usage: Usage) {
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    inputTokens: usage.prompt_tokens - cached,
    outputTokens: usage.completion_tokens ?? 0,
    totalTokens: usage.prompt_tokens + (usage.completion_tokens ?? 0),
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: 0,
  };
}

/** The single member names the event. */
export function converseFrame(body: Chunk['body']): Buffer {
  const [name = '', payload] = Object.entries(body)[0] ?? [];
  return eventFrame(name, payload);
}
