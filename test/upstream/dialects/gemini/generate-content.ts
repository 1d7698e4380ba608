/**
 * Google's generateContent. Like Gemini 3, it refuses unknown fields and function calls in the
 * history without a signature.
 */
import * as z from 'zod/mini';
import { frameSet } from '../../answers/frame-set.ts';
import { type Composed, framedAnswer, type Setting } from '../../answers/framed-answer.ts';
import type { Choice } from '../../content/choices.ts';
import { sendsUsage, type Usage } from '../../content/usage.ts';
import { picture } from '../../media/openai-images.ts';
import type { ChatBody, Part as ChatPart, Message } from '../openai/request-fields.ts';

const Part = z.strictObject({
  text: z.optional(z.string()),
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(z.string()),
  inlineData: z.optional(z.strictObject({ mimeType: z.string(), data: z.string() })),
  fileData: z.optional(z.looseObject({ fileUri: z.string() })),
  functionCall: z.optional(
    z.strictObject({
      id: z.optional(z.string()),
      name: z.string(),
      args: z.record(z.string(), z.unknown()),
    }),
  ),
  functionResponse: z.optional(
    z.looseObject({ name: z.string(), response: z.record(z.string(), z.unknown()) }),
  ),
});

const Content = z
  .strictObject({
    role: z.optional(z.enum(['user', 'model'])),
    parts: z.array(Part).check(z.minLength(1)),
  })
  .check(z.refine(({ parts }) => isSigned(parts), 'Function call is missing a thought_signature'));

function isSigned(parts: readonly z.output<typeof Part>[]): boolean {
  const first = parts.find(({ functionCall }) => functionCall !== undefined);
  return first === undefined || first.thoughtSignature !== undefined;
}

const Declaration = z.looseObject({
  name: z.string(),
  parametersJsonSchema: z.optional(z.unknown()),
  parameters: z.optional(z.unknown()),
});

const ThinkingConfig = z
  .strictObject({
    includeThoughts: z.optional(z.boolean()),
    thinkingBudget: z.optional(z.int()),
    thinkingLevel: z.optional(z.string().check(z.regex(/^(minimal|low|medium|high)$/i))),
  })
  .check(
    z.refine(
      ({ thinkingBudget, thinkingLevel }) =>
        thinkingBudget === undefined || thinkingLevel === undefined,
      'You can only set one of thinking budget and thinking level',
    ),
  );

export const GenerateBody = z.strictObject({
  contents: z.array(Content).check(z.minLength(1)),
  systemInstruction: z.optional(
    z.strictObject({ role: z.optional(z.string()), parts: z.array(Part) }),
  ),
  tools: z.optional(
    z.array(z.looseObject({ functionDeclarations: z.optional(z.array(Declaration)) })),
  ),
  toolConfig: z.optional(
    z.strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
        allowedFunctionNames: z.optional(z.array(z.string())),
      }),
    }),
  ),
  safetySettings: z.optional(z.array(z.looseObject({ category: z.string() }))),
  generationConfig: z.optional(
    z.looseObject({
      maxOutputTokens: z.optional(z.int()),
      stopSequences: z.optional(z.array(z.string())),
      responseJsonSchema: z.optional(z.unknown()),
      responseModalities: z.optional(z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO']))),
      thinkingConfig: z.optional(ThinkingConfig),
    }),
  ),
});

type GenerateBody = z.output<typeof GenerateBody>;

function chatOf(body: GenerateBody, model: string): ChatBody {
  const system = (body.systemInstruction?.parts ?? []).flatMap(({ text }) => text ?? []).join(' ');
  const declared = body.tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const config = body.generationConfig;
  const schema = config?.responseJsonSchema ?? config?.responseSchema;
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...body.contents.flatMap(messagesOf),
    ],
    max_tokens: config?.maxOutputTokens,
    stop: config?.stopSequences,
    tools: declared?.map(({ name, parametersJsonSchema, parameters }) => ({
      type: 'function',
      function: { name, parameters: parametersJsonSchema ?? parameters },
    })),
    tool_choice: choiceOf(body),
    enable_thinking: config?.thinkingConfig?.includeThoughts,
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { schema } } } : {}),
  };
}

function messagesOf({ role, parts }: GenerateBody['contents'][number]): Message[] {
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined
      ? []
      : [{ role: 'tool', content: JSON.stringify(functionResponse.response) }],
  );
  const chatParts = parts.flatMap(({ text, thought, inlineData, fileData }): ChatPart[] => {
    if (inlineData !== undefined)
      return [imagePart(`data:${inlineData.mimeType};base64,${inlineData.data}`)];
    if (fileData !== undefined) return [imagePart(fileData.fileUri)];
    return text && !thought ? [{ type: 'text', text }] : [];
  });
  const speaker = role === 'model' ? 'assistant' : 'user';
  return [...results, ...(chatParts.length > 0 ? [{ role: speaker, content: chatParts }] : [])];
}

function imagePart(url: string) {
  return { type: 'image_url', image_url: url };
}

function choiceOf({ toolConfig }: GenerateBody): ChatBody['tool_choice'] {
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  const [name] = allowedFunctionNames ?? [];
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return undefined;
  return name === undefined ? 'required' : { type: 'function', function: { name } };
}

const FINISHES: Readonly<Record<Choice['finish'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  function_call: 'STOP',
  content_filter: 'SAFETY',
};

const FRAMES = frameSet('gemini');

export function composeGenerate(body: GenerateBody, setting: Setting): Composed {
  const chat = chatOf(body, setting.model);
  return framedAnswer(FRAMES, chat, setting, (usage, { finish }) => {
    const counts = sendsUsage(setting.plan) ? countsOf(usage) : undefined;
    return {
      finish: FINISHES[finish],
      counts,
      countsAtStart: counts && { promptTokenCount: counts.promptTokenCount },
      pictures: drawnParts(body, setting),
    };
  });
}

/** Image models generate an image if the response may contain one. */
function drawnParts({ generationConfig }: GenerateBody, { model, plan }: Setting): object[] {
  const mayDraw = generationConfig?.responseModalities?.includes('IMAGE') === true;
  if (!mayDraw || !model.includes('image') || plan.finish !== undefined) return [];
  return [{ inlineData: { mimeType: 'image/png', data: picture(model) } }];
}

/** Thinking tokens are counted separately from the response, cached tokens within the prompt. */
function countsOf(usage: Usage) {
  const thoughts = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  const completion = usage.completion_tokens ?? 0;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: usage.prompt_tokens,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: usage.prompt_tokens + completion,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    ...(cached > 0 ? { cachedContentTokenCount: cached } : {}),
  };
}
