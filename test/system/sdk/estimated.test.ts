/**
 * Checks that every SDK ignores or passes on the gateway's own usage field that marks an estimate.
 */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, type LanguageModel, streamText } from 'ai';
import OpenAI from 'openai';
import { beforeEach, expect, test } from 'vitest';
import { setPrice } from '../../relay/tenant.ts';
import { sharedSite } from '../../support/shared-site.ts';

const MODEL = 'uncounted';
const ANSWER_TEXT = 'one two three';

const site = await sharedSite();
await setPrice(site, MODEL, { ratio: '1', completion: '1' });
await site.addChannel({ models: MODEL });
beforeEach(() => site.upstream.setDefault({ usage: 'none', text: ANSWER_TEXT }));

interface ClientView {
  readonly text: string | null | undefined;
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly isMarked: boolean;
}

/**
 * Where the mark is readable; for streams, Anthropic's SDK keeps only the usage fields it knows.
 */
const MARKED = new Set(['openai, chat', 'openai, responses', '@anthropic-ai/sdk whole']);

const input = 'Hello.';
const messages = [{ role: 'user' as const, content: input }];
const isMarked = (usage: object | null | undefined) =>
  usage !== null && usage !== undefined && 'estimated' in usage && usage.estimated === true;

const openAi = () =>
  new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
const anthropic = () =>
  new Anthropic({ apiKey: site.token.key, baseURL: site.url, maxRetries: 0 }).messages;
const google = () =>
  new GoogleGenAI({ apiKey: site.token.key, httpOptions: { baseUrl: site.url } }).models;

function ofChat({ choices, usage }: OpenAI.ChatCompletion): ClientView {
  return {
    text: choices[0]?.message.content,
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
    isMarked: isMarked(usage),
  };
}

function ofResponse({ output_text: text, usage }: OpenAI.Responses.Response): ClientView {
  const { input_tokens, output_tokens } = usage ?? {};
  return { text, input: input_tokens, output: output_tokens, isMarked: isMarked(usage) };
}

function ofMessage({ content, usage }: Anthropic.Message): ClientView {
  const [block] = content;
  const text = block?.type === 'text' ? block.text : '';
  const { input_tokens, output_tokens } = usage;
  return { text, input: input_tokens, output: output_tokens, isMarked: isMarked(usage) };
}

/** The AI SDK returns its own usage object, without fields unknown to it. */
const vercel = (
  model: () => LanguageModel,
): Record<'whole' | 'streamed', () => Promise<ClientView>> => ({
  async whole() {
    const { text, usage } = await generateText({ model: model(), prompt: input, maxRetries: 0 });
    return { text, input: usage.inputTokens, output: usage.outputTokens, isMarked: false };
  },
  async streamed() {
    const answer = streamText({ model: model(), prompt: input, maxRetries: 0 });
    const [text, usage] = [await answer.text, await answer.usage];
    return { text, input: usage.inputTokens, output: usage.outputTokens, isMarked: false };
  },
});

const endpoint = (path: string) => ({ baseURL: `${site.url}/${path}`, apiKey: site.token.key });

const PROGRAMS: Readonly<Record<string, Readonly<Record<string, () => Promise<ClientView>>>>> = {
  'openai, chat': {
    whole: async () => ofChat(await openAi().chat.completions.create({ model: MODEL, messages })),
    streamed: async () => {
      const stream_options = { include_usage: true };
      const request = { model: MODEL, messages, stream_options };
      return ofChat(await openAi().chat.completions.stream(request).finalChatCompletion());
    },
  },
  'openai, responses': {
    whole: async () => ofResponse(await openAi().responses.create({ model: MODEL, input })),
    streamed: async () =>
      ofResponse(await openAi().responses.stream({ model: MODEL, input }).finalResponse()),
  },
  '@anthropic-ai/sdk': {
    whole: async () =>
      ofMessage(await anthropic().create({ model: MODEL, max_tokens: 64, messages })),
    streamed: async () =>
      ofMessage(
        await anthropic().stream({ model: MODEL, max_tokens: 64, messages }).finalMessage(),
      ),
  },
  '@google/genai': {
    whole: async () => {
      const { text, usageMetadata } = await google().generateContent({
        model: MODEL,
        contents: input,
      });
      const { promptTokenCount, candidatesTokenCount } = usageMetadata ?? {};
      return {
        text,
        input: promptTokenCount,
        output: candidatesTokenCount,
        isMarked: isMarked(usageMetadata),
      };
    },
    streamed: async () => {
      let summaryOf: ClientView = {
        text: '',
        input: undefined,
        output: undefined,
        isMarked: false,
      };
      for await (const { text = '', usageMetadata } of await google().generateContentStream({
        model: MODEL,
        contents: input,
      }))
        summaryOf = {
          text: summaryOf.text + text,
          input: usageMetadata?.promptTokenCount,
          output: usageMetadata?.candidatesTokenCount,
          isMarked: isMarked(usageMetadata),
        };
      return summaryOf;
    },
  },
  'ai with @ai-sdk/openai, chat': vercel(() => createOpenAI(endpoint('v1')).chat(MODEL)),
  'ai with @ai-sdk/openai, responses': vercel(() => createOpenAI(endpoint('v1')).responses(MODEL)),
  'ai with @ai-sdk/anthropic': vercel(() => createAnthropic(endpoint('v1'))(MODEL)),
  'ai with @ai-sdk/google': vercel(() => createGoogleGenerativeAI(endpoint('v1beta'))(MODEL)),
};

const RUNS = Object.entries(PROGRAMS).flatMap(([name, ways]) =>
  Object.entries(ways).map(([way, call]) => ({ name, way, call })),
);

test.each(RUNS)('estimated usage through $name, $way', async ({ name, way, call }) => {
  const { text, input, output, isMarked } = await call();
  expect(text).toBe(ANSWER_TEXT);
  expect(input).toBeGreaterThan(0);
  expect(output).toBeGreaterThan(0);
  expect(isMarked).toBe(MARKED.has(name) || MARKED.has(`${name} ${way}`));
});
