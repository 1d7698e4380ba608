/** Client programs of the model API as users write them, and how they react to each status. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { generateText, type LanguageModel } from 'ai';
import OpenAI from 'openai';

export interface ProgramCall {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly fetch: typeof fetch;
}

export interface Answered {
  readonly status: number;
  /** The response has the header `x-should-retry: false`. */
  readonly saysStop: boolean;
}

export interface Program {
  readonly name: string;
  readonly dialect: 'chat' | 'anthropic' | 'gemini';
  /** Another program provokes every error of this dialect; this one reacts to the status alone. */
  readonly oncePerStatus?: true;
  call(request: ProgramCall): Promise<unknown>;
  repeats(answered: Answered): boolean;
  /** Class of the error finally thrown. */
  thrownAt(answered: Answered): string;
}

const HELLO = 'Hello.';

/** Classes of OpenAI's SDK; Anthropic's SDK adds some. */
const CLASSES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  409: 'ConflictError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
};

const OF_ANTHROPIC: Readonly<Record<number, string>> = {
  402: 'PaymentRequiredError',
  413: 'ContentTooLargeError',
  501: 'NotImplementedError',
  503: 'ServiceUnavailableError',
  504: 'GatewayTimeoutError',
};

function classOf({ status }: Answered): string {
  return CLASSES[status] ?? (status >= 500 ? 'InternalServerError' : 'APIError');
}

export function isRepeatable(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

const OBEYING = {
  repeats: ({ status, saysStop }: Answered) => !saysStop && isRepeatable(status),
  thrownAt: classOf,
};

const VERCEL = {
  oncePerStatus: true,
  repeats: ({ status }: Answered) => isRepeatable(status),
  thrownAt: ({ status }: Answered) => (isRepeatable(status) ? 'RetryError' : 'APICallError'),
} as const;

const viaVercel = (model: LanguageModel) => generateText({ model, prompt: HELLO });

export const PROGRAMS: readonly Program[] = [
  {
    name: 'openai',
    dialect: 'chat',
    ...OBEYING,
    call: ({ url, key, model, fetch }) =>
      new OpenAI({ apiKey: key, baseURL: `${url}/v1`, fetch }).chat.completions.create({
        model,
        messages: [{ role: 'user', content: HELLO }],
      }),
  },
  {
    name: '@anthropic-ai/sdk',
    dialect: 'anthropic',
    ...OBEYING,
    thrownAt: (answered) => OF_ANTHROPIC[answered.status] ?? classOf(answered),
    call: ({ url, key, model, fetch }) =>
      new Anthropic({ apiKey: key, baseURL: url, fetch }).messages.create({
        model,
        max_tokens: 16,
        messages: [{ role: 'user', content: HELLO }],
      }),
  },
  {
    name: '@google/genai',
    dialect: 'gemini',
    repeats: ({ status }) => [408, 429, 500, 502, 503, 504].includes(status),
    thrownAt: () => 'ApiError',
    call: ({ url, key, model, fetch }) =>
      new GoogleGenAI({
        apiKey: key,
        // It does not retry by default.
        httpOptions: { baseUrl: url, fetch, retryOptions: { attempts: 3, initialDelay: 0.001 } },
      }).models.generateContent({ model, contents: HELLO }),
  },
  {
    name: 'ai, OpenAI',
    dialect: 'chat',
    ...VERCEL,
    call: ({ url, key, model, fetch }) =>
      viaVercel(createOpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch }).chat(model)),
  },
  {
    name: 'ai, Anthropic',
    dialect: 'anthropic',
    ...VERCEL,
    call: ({ url, key, model, fetch }) =>
      viaVercel(createAnthropic({ baseURL: `${url}/v1`, apiKey: key, fetch })(model)),
  },
  {
    name: 'ai, Google',
    dialect: 'gemini',
    ...VERCEL,
    call: ({ url, key, model, fetch }) =>
      viaVercel(createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key, fetch })(model)),
  },
];

/** All of them send at most three requests. */
export const MOST_REQUESTS = 3;
