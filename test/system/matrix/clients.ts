/**
 * The client dialects, one row each: how a request is written in it and how its responses are read.
 */
import { expect } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import type { HubAnswer } from '../../../src/dialects/hub/answer/answer.ts';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { collected, context, eventsIn } from '../../dialects/hub/streams.ts';
import type { SiteAnswer, SiteCall } from '../../support/site.ts';

export interface ChatRequest {
  readonly text: string;
  readonly stream?: boolean;
  readonly tools?: readonly string[];
  /** Base64 of a PNG, sent after the text. */
  readonly image?: string;
  /** Requests reasoning that is visible to the client. */
  readonly thinks?: boolean;
  readonly maxTokens?: number;
}

export interface ClientRow {
  readonly name: DialectName;
  readonly label: string;
  readonly request: (model: string, chatRequest: ChatRequest) => SiteCall;
  /** The error type in the body of an error response. */
  readonly errorType: (body: Body) => string;
  /** The error type of an invalid request. */
  readonly invalidRequest: string;
}

export interface Body {
  readonly type?: string;
  readonly error: { readonly type?: string; readonly status?: string; readonly message: string };
}

export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const;

const BUDGET = 2048;

function chat(
  model: string,
  { text, stream, tools, image, thinks, maxTokens }: ChatRequest,
): SiteCall {
  const url = `data:image/png;base64,${image}`;
  const parts = [
    { type: 'text', text },
    { type: 'image_url', image_url: { url } },
  ];
  return {
    path: '/v1/chat/completions',
    body: {
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: image === undefined ? text : parts },
      ],
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      ...(maxTokens ? { max_tokens: maxTokens } : {}),
      ...(thinks ? { reasoning_effort: 'medium' } : {}),
      ...(tools
        ? {
            tools: tools.map((name) => ({
              type: 'function',
              function: { name, parameters: SCHEMA },
            })),
          }
        : {}),
    },
  };
}

function anthropic(
  model: string,
  { text, stream, tools, image, thinks, maxTokens = 4096 }: ChatRequest,
): SiteCall {
  const source = { type: 'base64', media_type: 'image/png', data: image };
  const picture = image === undefined ? [] : [{ type: 'image', source }];
  return {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model,
      max_tokens: maxTokens,
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text }, ...picture] }],
      ...(stream ? { stream } : {}),
      ...(thinks ? { thinking: { type: 'enabled', budget_tokens: BUDGET } } : {}),
      ...(tools ? { tools: tools.map((name) => ({ name, input_schema: SCHEMA })) } : {}),
    },
  };
}

function gemini(
  model: string,
  { text, stream, tools, image, thinks, maxTokens }: ChatRequest,
): SiteCall {
  const inlineData = { mimeType: 'image/png', data: image };
  const declared = tools?.map((name) => ({ name, parametersJsonSchema: SCHEMA }));
  const thinkingConfig = { includeThoughts: true, thinkingBudget: BUDGET };
  return {
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text }, ...(image === undefined ? [] : [{ inlineData }])] },
      ],
      generationConfig: {
        ...(maxTokens ? { maxOutputTokens: maxTokens } : {}),
        ...(thinks ? { thinkingConfig } : {}),
      },
      ...(declared ? { tools: [{ functionDeclarations: declared }] } : {}),
    },
  };
}

function responses(
  model: string,
  { text, stream, tools, image, thinks, maxTokens }: ChatRequest,
): SiteCall {
  const url = `data:image/png;base64,${image}`;
  const picture = image === undefined ? [] : [{ type: 'input_image', image_url: url }];
  return {
    path: '/v1/responses',
    body: {
      model,
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text }, ...picture] }],
      ...(stream ? { stream } : {}),
      ...(maxTokens ? { max_output_tokens: maxTokens } : {}),
      ...(thinks ? { reasoning: { effort: 'medium', summary: 'auto' } } : {}),
      ...(tools
        ? {
            tools: tools.map((name) => ({
              type: 'function',
              name,
              parameters: SCHEMA,
              strict: false,
            })),
          }
        : {}),
    },
  };
}

export const CLIENTS: readonly ClientRow[] = [
  {
    name: 'chat',
    label: 'OpenAI chat',
    request: chat,
    errorType: ({ error }) => error.type ?? '',
    invalidRequest: 'invalid_request_error',
  },
  {
    name: 'anthropic',
    label: 'Anthropic Messages',
    request: anthropic,
    errorType: ({ type, error }) => (type === 'error' ? (error.type ?? '') : ''),
    invalidRequest: 'invalid_request_error',
  },
  {
    name: 'gemini',
    label: 'Gemini',
    request: gemini,
    errorType: ({ error }) => error.status ?? '',
    invalidRequest: 'INVALID_ARGUMENT',
  },
  {
    name: 'responses',
    label: 'OpenAI Responses',
    request: responses,
    errorType: ({ error }) => error.type ?? '',
    invalidRequest: 'invalid_request_error',
  },
];

export function clientNamed(name: DialectName): ClientRow {
  const row = CLIENTS.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no client row for ${name}`);
  return row;
}

/** A successful response, read as a client of this dialect reads it. */
export function hubAnswerOf(client: DialectName, answer: SiteAnswer, stream = false): HubAnswer {
  expect(answer.status, answer.text).toBe(200);
  const type = answer.headers['content-type'] ?? '';
  expect(type).toContain(stream ? 'text/event-stream' : 'application/json');
  if (stream) return collected(eventsIn(client, answer.text));
  return DIALECTS[client].readAnswer(JSON.parse(answer.text), context());
}

export function wordsOf({ blocks }: HubAnswer, kind: 'text' | 'thinking'): string {
  return blocks.flatMap((block) => (block.kind === kind ? [block.text] : [])).join('');
}

/** Name and arguments of each tool call. */
export function callsOf({ blocks }: HubAnswer): unknown[] {
  return blocks.flatMap((block) =>
    block.kind === 'tool_call' ? [[block.name, JSON.parse(block.args)]] : [],
  );
}
