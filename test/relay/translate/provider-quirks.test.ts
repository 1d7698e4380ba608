/** Provider-specific wire behaviour as seen by a client, with original frames. */
import { expect, test } from 'vitest';
import { frames } from '../../dialects/frames.ts';
import { collected, eventsIn } from '../../dialects/hub/streams.ts';
import { rawSite } from '../raw-site.ts';
import { eventText, SSE, streamed, whole } from '../raw-upstream.ts';
import { setPrice } from '../tenant.ts';

const { site, raw } = await rawSite();

/** A priced model on a channel of this type, which points to the raw upstream. */
async function serve(type: number | string, model: string, fields: object = {}): Promise<string> {
  await setPrice(site, model, { ratio: '1', completion: '1' });
  await site.addChannel({ type, models: model, base_url: raw.url, ...fields });
  return model;
}

const MESSAGES = [{ role: 'user', content: 'How many birds are there?' }];
const TEXT = 'Two birds 🙂';

/** The frames of a case whose events have names. */
function named(path: string): string {
  return frames(path)
    .map((line) => {
      const { event, data } = JSON.parse(line);
      return `event: ${event}\n${eventText(data)}`;
    })
    .join('');
}

test('FastGPT: placeholder usage is ignored, whole or streamed', async () => {
  const model = await serve(22, 'fastgpt-app');
  raw.answer = whole(frames('fastgpt/whole-placeholder-usage')[0] ?? '');
  const plain = await site.call({ body: { model, messages: MESSAGES } });
  raw.answer = (response) => response.writeHead(200, SSE).end(named('fastgpt/chat-detail'));
  const body = { model, messages: MESSAGES, stream: true, detail: true };
  const stream = await site.call({ body });
  await site.settled();
  for (const answer of [plain, stream]) {
    expect(answer.status, answer.text).toBe(200);
    const log = await site.logOf(answer.requestId);
    expect(log).toMatchObject({ usage_source: 'estimated' });
    expect(log?.completion_tokens).toBeGreaterThan(1);
  }
});

test('FastGPT: extra events reach chat clients only', async () => {
  const model = await serve(22, 'fastgpt-events');
  const aside = { event: 'flowResponses', data: [{ error: { message: "a node's own" } }] };
  const [first = '', ...rest] = frames('fastgpt/chat-detail');
  const wire = [first, JSON.stringify(aside), ...rest].map((line) => {
    const { event, data } = JSON.parse(line);
    return `event: ${event}\n${eventText(data)}`;
  });
  raw.answer = (response) => response.writeHead(200, SSE).end(wire.join(''));
  const body = { model, messages: MESSAGES, stream: true };
  const chat = await site.call({ body });
  expect(chat.text).toContain('event: flowNodeStatus');
  expect(chat.text).toContain("a node's own");
  expect(chat.text, 'is not taken for an error of the answer').toContain('birds 🙂');
  expect(chat.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  const messages = { path: '/v1/messages', body: { ...body, max_tokens: 50 } };
  const hubAnswer = collected(eventsIn('anthropic', (await site.call(messages)).text));
  expect(hubAnswer.blocks).toMatchObject([{ kind: 'text', text: TEXT }]);
});

test.each([
  ['minimax', 'MiniMax-M2.7', 'minimax/chat-think-tags'],
  ['minimax', 'MiniMax-M2.5', 'minimax/chat-reasoning-split'],
  ['perplexity', 'sonar', 'perplexity/chat-cumulative-usage'],
])('%s %s: reasoning is reasoning for other clients (%s)', async (type, model, path) => {
  await serve(type, model);
  raw.answer = streamed(...frames(path));
  const body = { model, messages: MESSAGES, max_tokens: 50, stream: true };
  const answer = await site.call({ path: '/v1/messages', body });
  expect(answer.status, answer.text).toBe(200);
  const hubAnswer = collected(eventsIn('anthropic', answer.text));
  expect(hubAnswer.blocks.slice(0, 2)).toMatchObject([
    { kind: 'thinking', text: 'Count them.' },
    { kind: 'text', text: TEXT },
  ]);
  await site.settled();
  expect(await site.logOf(answer.requestId)).toMatchObject({
    usage_source: 'upstream',
    prompt_tokens: 42,
    completion_tokens: 12,
  });
});

test('MiniMax: an error inside a 200 is an error with its status, and costs nothing', async () => {
  const model = await serve('minimax', 'MiniMax-M3');
  raw.answer = whole(frames('minimax/error-in-200')[0] ?? '');
  const answer = await site.call({ body: { model, messages: MESSAGES } });
  expect(answer.status).toBe(402);
  expect(answer.text).toContain('insufficient balance');
  await site.settled();
  expect(await site.logOf(answer.requestId)).toBeUndefined();
});

test('DashScope: a whole answer of an open Qwen model is combined from a stream', async () => {
  const model = await serve('alibaba', 'qwen3-32b');
  raw.answer = streamed(...frames('alibaba/chat-thinking'));
  const answer = await site.call({ body: { model, messages: MESSAGES } });
  expect(JSON.parse(raw.requests.at(-1)?.body ?? '{}')).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(JSON.parse(answer.text)).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { content: TEXT, reasoning_content: 'Count them.' } }],
    usage: { prompt_tokens: 42, completion_tokens: 12 },
  });
});

test('DeepSeek: blank lines and comments while queued do not count as an answer', async () => {
  const model = await serve('deepseek', 'deepseek-v4-pro');
  const answer = { id: 'd', choices: [{ message: { role: 'assistant', content: TEXT } }] };
  raw.answer = whole(`\n\n\n${JSON.stringify(answer)}`);
  expect((await site.call({ body: { model, messages: MESSAGES } })).text).toContain(TEXT);
  const keepAlive = ': keep-alive\n\n\n\n: keep-alive\n\n';
  const wire = frames('iflytek/chat').map((data) => eventText(data));
  raw.answer = (response) => response.writeHead(200, SSE).end(keepAlive + wire.join(keepAlive));
  const stream = await site.call({ body: { model, messages: MESSAGES, stream: true } });
  expect(stream.text).toContain('birds 🙂');
  expect(raw.requests.at(-1)?.path).toBe('/chat/completions');
});

test('Messages are forwarded byte for byte when a channel has a path for them, else translated', async () => {
  const twin = await serve('deepseek', 'deepseek-v4-flash', {
    base_url: site.upstream.url,
    setting: '{"messages_path":"/anthropic/v1/messages"}',
  });
  const body = {
    model: twin,
    max_tokens: 50,
    messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }],
  };
  const answer = await site.call({ path: '/v1/messages', body });
  expect(answer.status, answer.text).toBe(200);
  const sent = site.upstream.requests.at(-1);
  expect(sent?.path).toBe('/anthropic/v1/messages');
  expect(JSON.parse(sent?.body ?? '{}')).toEqual(body);
  await site.settled();
  expect(await site.logOf(answer.requestId)).toMatchObject({ usage_source: 'upstream' });
  await site.call({ body: { model: twin, messages: MESSAGES } });
  expect(site.upstream.requests.at(-1)?.path).toBe('/chat/completions');
  const plain = await serve('deepseek', 'deepseek-plain', { base_url: site.upstream.url });
  await site.call({ path: '/v1/messages', body: { ...body, model: plain } });
  expect(site.upstream.requests.at(-1)?.path).toBe('/chat/completions');
});

test('an image whose URL is text, as Mistral accepts, reaches an OpenAI upstream as an object', async () => {
  const model = await serve('openai', 'sees-images');
  raw.answer = whole({ choices: [{ message: { role: 'assistant', content: TEXT } }] });
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const look = (image_url: unknown) => [
    { role: 'user', content: [{ type: 'image_url', image_url }] },
  ];
  const answer = await site.call({ body: { model, messages: look(url) } });
  expect(answer.status, answer.text).toBe(200);
  expect(JSON.parse(raw.requests.at(-1)?.body ?? '{}').messages).toEqual(look({ url }));
});

test('Ollama: images are sent as bytes, and private URLs are never fetched', async () => {
  const model = await serve('ollama', 'llava');
  raw.answer = whole({ choices: [{ message: { role: 'assistant', content: TEXT } }] });
  const requestCount = raw.requests.length;
  const look = (url: string) => [
    { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
  ];
  const inside = await site.call({ body: { model, messages: look(`${raw.url}/1.png`) } });
  expect(inside.status).toBe(400);
  expect(raw.requests).toHaveLength(requestCount);
  const bytes = 'data:image/png;base64,iVBORw0KGgo=';
  expect((await site.call({ body: { model, messages: look(bytes) } })).status).toBe(200);
  expect(JSON.parse(raw.requests.at(-1)?.body ?? '{}').messages).toEqual(look(bytes));
});

test.each([
  ['zhipu-v4', 'zhipu/error-balance', 429],
  ['alibaba', 'alibaba/error-arrearage', 400],
  ['volcengine', 'volcengine/error-overdue', 403],
])(
  '%s: an account without credit disables its key and the call moves to another channel',
  async (type, path, status) => {
    const model = await serve(type, `debt-${type}`, { priority: 5 });
    await site.addChannel({ models: model });
    await site.option('AutomaticDisableChannelEnabled', true);
    await site.option('RetryTimes', 1);
    raw.answer = (response) => response.writeHead(status).end(frames(path)[0]);
    const answer = await site.call({ body: { model, messages: MESSAGES } });
    expect(answer.status, answer.text).toBe(200);
    const channel = await site.ctx.db('channels').where({ models: model, priority: 5 }).first();
    expect(Number(channel.status)).toBe(3);
  },
);
