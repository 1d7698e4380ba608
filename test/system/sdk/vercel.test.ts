/** Vercel's AI SDK with the providers of the three vendors. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import {
  generateObject,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { describe } from 'vitest';
import { VERCEL_DIFFERENCES } from './differences.ts';
import {
  CITY,
  type Endpoint,
  leaving,
  PERSON,
  PNG,
  refusals,
  type Scenario,
  sameAsDirect,
} from './endpoints.ts';

const PROVIDERS = [
  {
    name: 'OpenAI',
    model: 'gpt-5.4-mini',
    at: ({ url, key }: Endpoint): LanguageModel =>
      createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat('gpt-5.4-mini'),
    thinks: { openai: { reasoningEffort: 'medium' } },
  },
  {
    name: 'Anthropic',
    model: 'claude-sonnet-4-5',
    at: ({ url, key }: Endpoint): LanguageModel =>
      createAnthropic({ baseURL: `${url}/v1`, apiKey: key })('claude-sonnet-4-5'),
    thinks: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
  },
  {
    name: 'Google',
    model: 'gemini-3.1-pro-preview',
    at: ({ url, key }: Endpoint): LanguageModel =>
      createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })('gemini-3.1-pro-preview'),
    thinks: { google: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } } },
  },
] as const;

const TOOLS = Object.fromEntries(
  ['get_weather', 'get_time'].map((name) => [
    name,
    tool({ inputSchema: jsonSchema(CITY), execute: async () => ({ it: 'is fine' }) }),
  ]),
);

const HELLO = 'Tell me about 世界 and 🌍, please.';
const PICTURE: ModelMessage[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', image: PNG, mediaType: 'image/png' },
    ],
  },
];

interface GeneratedText {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly finishReason: string;
  readonly usage: { readonly outputTokens: number | undefined };
  readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[];
}

function summaryOf({ text, reasoningText, finishReason, usage, toolCalls }: GeneratedText) {
  const calls = toolCalls.map(({ toolName, input }) => ({ toolName, input }));
  return { text, reasoningText, finishReason, output: usage.outputTokens, calls };
}

describe.each(PROVIDERS)(
  'Vercel AI SDK with the provider of $name',
  ({ name, model, at, thinks }) => {
    type RequestFields = Omit<Parameters<typeof generateText>[0], 'model' | 'prompt' | 'messages'>;
    const request = (endpoint: Endpoint, extra: RequestFields = {}) => ({
      model: at(endpoint),
      maxRetries: 0,
      ...extra,
    });
    const plain =
      (extra: RequestFields = {}): Scenario =>
      async (endpoint) =>
        summaryOf(await generateText({ ...request(endpoint, extra), prompt: HELLO }));
    const streamed =
      (
        extra: Pick<RequestFields, 'tools' | 'providerOptions' | 'maxOutputTokens'>,
        prompt = HELLO,
      ): Scenario =>
      async (endpoint) => {
        const stream = streamText({ model: at(endpoint), maxRetries: 0, ...extra, prompt });
        await stream.consumeStream();
        const { text, reasoningText, finishReason, usage, toolCalls } = stream;
        return summaryOf({
          text: await text,
          reasoningText: await reasoningText,
          finishReason: await finishReason,
          usage: await usage,
          toolCalls: await toolCalls,
        });
      };
    const scenarios: Readonly<Record<string, Scenario>> = {
      'a plain answer': plain(),
      'a stream': streamed({}),
      'a system prompt': plain({ system: 'Be brief.' }),
      async 'a conversation'(endpoint) {
        const messages: ModelMessage[] = [
          { role: 'user', content: HELLO },
          { role: 'assistant', content: 'Round.' },
          { role: 'user', content: 'And flat?' },
        ];
        return summaryOf(await generateText({ ...request(endpoint), messages }));
      },
      'parallel calls in a stream': streamed({ tools: TOOLS }, 'get_weather and get_time'),
      async 'calls that are run and answered'(endpoint) {
        const { steps, text } = await generateText({
          ...request(endpoint, { tools: TOOLS, stopWhen: stepCountIs(3) }),
          prompt: 'get_weather and get_time',
        });
        return { steps: steps.map(summaryOf), text };
      },
      async 'a picture'(endpoint) {
        return summaryOf(await generateText({ ...request(endpoint), messages: PICTURE }));
      },
      thoughts: plain({ providerOptions: thinks }),
      'thoughts in a stream': streamed({ providerOptions: thinks }),
      async 'an answer that obeys a schema'(endpoint) {
        const schema = jsonSchema(PERSON);
        const call = { model: at(endpoint), maxRetries: 0, prompt: HELLO, schema };
        return (await generateObject(call)).object;
      },
      'an answer that reaches its limit': streamed({ maxOutputTokens: 4 }),
      refusals: (endpoint) =>
        refusals(endpoint, () => generateText({ ...request(endpoint), prompt: HELLO })),
      'a client that leaves': (endpoint) =>
        leaving(endpoint, async (abortSignal) => {
          const { textStream } = streamText({ ...request(endpoint), prompt: HELLO, abortSignal });
          return textStream;
        }),
    };
    sameAsDirect(`the AI SDK for ${name}`, [model], scenarios, VERCEL_DIFFERENCES[name]);
  },
);
