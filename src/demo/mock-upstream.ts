/**
 * The mock upstream of `gateway demo`: an HTTP server with the OpenAI API for models, chat,
 * embeddings and the balance. It echoes the last user message; equal requests get equal responses.
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { parseJson } from '../json/read-json.ts';

export interface MockUpstream {
  /** `http://127.0.0.1:port`, without a path. */
  readonly url: string;
  /** Aborts open connections. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. Keys other than `key` get 401. */
export async function startMockUpstream(key: string): Promise<MockUpstream> {
  const server = createServer((request, response) => {
    answer(key, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // always set for a listening TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const MODELS = ['gpt-4o-mini', 'gpt-4o', 'gpt-4.1', 'text-embedding-3-small'];
const CREATED_AT_SEC = 1_767_225_600;

/** Responses to `GET`, by path. The account has 100 USD, of which 25 are used. */
const PAGES: Readonly<Record<string, unknown>> = {
  '/v1/models': {
    object: 'list',
    data: MODELS.map((id) => ({ id, object: 'model', created: CREATED_AT_SEC, owned_by: 'demo' })),
  },
  '/v1/dashboard/billing/subscription': { object: 'billing_subscription', hard_limit_usd: 100 },
  '/v1/dashboard/billing/usage': { object: 'list', total_usage: 2500 },
};

async function answer(
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  if (request.headers.authorization !== `Bearer ${key}`)
    return sendError(response, 401, 'Incorrect API key provided.', 'invalid_api_key');
  if (request.method === 'GET' && PAGES[path] !== undefined)
    return sendJson(response, 200, PAGES[path]);
  if (request.method === 'POST' && path === '/v1/chat/completions')
    return withBody(ChatBody, text, response, answerChat);
  if (request.method === 'POST' && path === '/v1/embeddings')
    return withBody(EmbeddingBody, text, response, answerEmbeddings);
  // The gateway concludes that the endpoint is missing and uses chat instead.
  sendError(response, 404, `Unknown request URL: ${request.method} ${path}.`, 'unknown_url');
}

/** Responds with 400 to a body that does not match the schema. */
async function withBody<S extends z.ZodMiniType>(
  schema: S,
  text: string,
  response: ServerResponse,
  reply: (body: z.output<S>, response: ServerResponse) => Promise<void> | void,
): Promise<void> {
  const body = schema.safeParse(parseJson(text));
  if (body.success) await reply(body.data, response);
  else sendError(response, 400, 'The request body is not valid.', 'invalid_body');
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, message: string, code: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code };
  sendJson(response, status, { error });
}

const Part = z.looseObject({ text: z.optional(z.string()) });
const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.nullish(z.union([z.string(), z.array(Part)])),
    }),
  ),
  stream: z.nullish(z.boolean()),
  stream_options: z.nullish(z.looseObject({ include_usage: z.optional(z.boolean()) })),
  max_tokens: z.nullish(z.int()),
  max_completion_tokens: z.nullish(z.int()),
});
type ChatBody = z.output<typeof ChatBody>;

/** Pause between stream chunks, so that a reader sees them arrive. */
const PIECE_PAUSE_MS = 10;
const ECHO_LIMIT = 2000;
const TOKENS_PER_CALL = 3;
const TOKENS_PER_MESSAGE = 4;

/** A response token: up to eight letters with the preceding space, else one character. */
const TOKEN = / ?[!-\u2dff]{1,8}|[\s\S]/gu;

interface Reply {
  readonly tokens: readonly string[];
  readonly finish: 'stop' | 'length';
  readonly usage: Readonly<Record<string, number>>;
}

async function answerChat(body: ChatBody, response: ServerResponse): Promise<void> {
  const reply = replyTo(body);
  const id = `chatcmpl-${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 24)}`;
  const head = { id, created: CREATED_AT_SEC, model: body.model };
  if (body.stream === true) return streamChat(body, reply, head, response);
  const message = { role: 'assistant', content: reply.tokens.join(''), refusal: null };
  sendJson(response, 200, {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finish }],
    usage: reply.usage,
  });
}

function replyTo(body: ChatBody): Reply {
  const texts = body.messages.map(({ content }) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(''),
  );
  const question = texts[body.messages.findLastIndex(({ role }) => role === 'user')] ?? '';
  const all = `You said: ${question.slice(0, ECHO_LIMIT)}`.match(TOKEN) ?? [];
  const tokens = all.slice(0, body.max_completion_tokens ?? body.max_tokens ?? all.length);
  const prompt = texts.reduce(
    (sum, text) => sum + TOKENS_PER_MESSAGE + promptTokensOf(text),
    TOKENS_PER_CALL,
  );
  return {
    tokens,
    finish: tokens.length < all.length ? 'length' : 'stop',
    usage: {
      prompt_tokens: prompt,
      completion_tokens: tokens.length,
      total_tokens: prompt + tokens.length,
    },
  };
}

function promptTokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

async function streamChat(
  body: ChatBody,
  { tokens, finish, usage }: Reply,
  head: object,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (fields: object): void => {
    const chunk = { ...head, object: 'chat.completion.chunk', ...fields };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const choice = (delta: object, finish_reason: Reply['finish'] | null = null) => ({
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  write(choice({ role: 'assistant', content: '' }));
  for (const content of tokens) {
    await sleep(PIECE_PAUSE_MS);
    if (response.destroyed) return;
    write(choice({ content }));
  }
  write(choice({}, finish));
  if (body.stream_options?.include_usage) write({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

const EmbeddingBody = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  dimensions: z.nullish(z.int().check(z.positive(), z.maximum(4096))),
  encoding_format: z.nullish(z.enum(['float', 'base64'])),
});
type EmbeddingBody = z.output<typeof EmbeddingBody>;

const USUAL_DIMENSIONS = 1536;

function answerEmbeddings(body: EmbeddingBody, response: ServerResponse): void {
  const inputs = typeof body.input === 'string' ? [body.input] : body.input;
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input, body.dimensions ?? USUAL_DIMENSIONS);
    const isBase64 = body.encoding_format === 'base64';
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const tokens = inputs.reduce((sum, input) => sum + promptTokensOf(input), 0);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  sendJson(response, 200, { object: 'list', data, model: body.model, usage });
}

/** A unit vector that depends only on the text. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const seed = createHash('sha256').update(text).digest();
  const raw = Array.from({ length: dimensions }, (_, at) =>
    Math.sin((at + 1) * (1 + (seed[at % seed.length] ?? 0))),
  );
  const length = Math.hypot(...raw) || 1;
  return Float32Array.from(raw, (value) => value / length);
}
