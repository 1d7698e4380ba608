/** Successful streams as a client sees them: start, contents and end. */
import { describe, expect, test } from 'vitest';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { chunk, contentChunk, FINISH } from '../../dialects/frames.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, type OpenAnswer, UPSTREAM_KEY } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { bodyIn, chunksIn, contentIn, directAnswer, eventsIn } from '../../upstream/wire.ts';
import { rawSite } from '../raw-site.ts';
import {
  bytesOut,
  eventText,
  pour,
  SSE,
  standsStill,
  streamed,
  streamText,
} from '../raw-upstream.ts';
import { addTenant, MESSAGES, PRICE } from '../tenant.ts';
import { tokensOfUsage, unitsOf } from '../units.ts';

const { site, raw, rawTenant } = await rawSite({ upstreams: 2, options: { RetryTimes: 1 } });

const STREAM = { stream: true } as const;
const WITH_USAGE = { stream: true, stream_options: { include_usage: true } } as const;

/** Continues reading until the text satisfies `isEnough`; returns all of it so far. */
async function readUntil(answer: OpenAnswer, isEnough: (text: string) => boolean, from = '') {
  let text = from;
  if (isEnough(text)) return text;
  for await (const bytes of answer.body.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    if (isEnough(text)) return text;
  }
  throw new Error(`the stream ended after ${text}`);
}

/** The rest after `readUntil`. */
async function rest(answer: OpenAnswer): Promise<string> {
  let text = '';
  for await (const bytes of answer.body) text += String(bytes);
  return text;
}

/** Whether a promise is still pending after two round trips to the server. */
async function isPending(promise: Promise<unknown>, at = site): Promise<boolean> {
  let isOpen = true;
  const done = () => {
    isOpen = false;
  };
  promise.then(done, done);
  for (let trip = 0; trip < 2; trip += 1) await at.call({ path: '/health/live', key: '' });
  return isOpen;
}

describe('the response head waits for the first real frame', () => {
  test('nothing is sent while only comments and invalid lines arrive', async () => {
    const tenant = await rawTenant();
    let goOn = () => {};
    raw.answer = (response) => {
      response.writeHead(200, SSE);
      response.write(': queued\n\n: still queued\n\ndata:\n\ndata: not json\n\n');
      goOn = () => response.end(streamText(contentChunk('hello'), FINISH, '[DONE]'));
    };
    const pending = tenant.start(STREAM);
    await eventually('the upstream is asked', () => raw.open.size === 1);
    expect(await isPending(pending)).toBe(true);
    goOn();
    const answer = await pending;
    expect(answer.status).toBe(200);
    expect(await answer.body.text()).toBe(streamText(contentChunk('hello'), FINISH, '[DONE]'));
  });

  test('comments after the first frame are forwarded to keep the connection alive', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) =>
      response
        .writeHead(200, SSE)
        .end(`${eventText(contentChunk('a'))}: PROCESSING\n\n${streamText(FINISH, '[DONE]')}`);
    const { text } = await tenant.call(STREAM);
    expect(text).toBe(
      `${eventText(contentChunk('a'))}: PROCESSING\n\n${streamText(FINISH, '[DONE]')}`,
    );
  });

  test('D79 an event stream is labelled as one, and nothing in between may keep or pack it', async () => {
    const tenant = await addTenant(site);
    const { headers } = await tenant.call(STREAM, {
      headers: { 'accept-encoding': 'gzip, br' },
      body: tenant.body(STREAM),
    });
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['content-length']).toBeUndefined();
  });
});

describe('bytes are unchanged when no conversion is needed', () => {
  const CALLS = [
    ['a stream with usage', '/v1/chat/completions', { messages: MESSAGES, ...WITH_USAGE }],
    ['several choices', '/v1/chat/completions', { messages: MESSAGES, n: 3, ...WITH_USAGE }],
    [
      'unknown tools and fields',
      '/v1/chat/completions',
      {
        ...WITH_USAGE,
        messages: [{ role: 'user', content: 'call weather', odd: 12345678901234567890n }],
        tools: [
          { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
        ],
        new_field: { deep: [null, ''] },
      },
    ],
    ['a legacy stream', '/v1/completions', { prompt: 'Say 世界', ...WITH_USAGE }],
    ['a plain answer', '/v1/chat/completions', { messages: MESSAGES }],
    ['a plain legacy answer', '/v1/completions', { prompt: ['one', 'two'], n: 2 }],
    ['embeddings', '/v1/embeddings', { input: ['one', 'two'], encoding_format: 'float' }],
  ] as const;

  test.each(CALLS)('%s', async (_what, path, fields) => {
    const tenant = await addTenant(site);
    const body = { model: tenant.model, ...fields };
    const rawBody = JSON.stringify(body, (_name, value) =>
      typeof value === 'bigint' ? `@${value}@` : value,
    ).replaceAll(/"@(\d+)@"/g, '$1');
    const direct = await directAnswer(site.upstream.url, path, UPSTREAM_KEY, rawBody);
    const relayed = await site.call({ path, rawBody, key: tenant.token.key });
    expect([direct.status, relayed.status]).toEqual([200, 200]);
    expect(relayed.bytes.equals(direct.bytes)).toBe(true);
    expect(site.upstream.requests.at(-1)?.body).toBe(rawBody);
  });

  test('a request without a usage option gets only that option added', async () => {
    const tenant = await addTenant(site);
    const rawBody = `{ "model":"${tenant.model}", "stream" : true,"seed":9007199254740993, "messages":[{"role":"user","content":"\\u4e16 \\/"}]}`;
    await tenant.call({}, { rawBody });
    expect(site.upstream.requests.at(-1)?.body).toBe(
      `{"model":"${tenant.model}","stream" : true,"seed":9007199254740993,"messages":[{"role":"user","content":"\\u4e16 \\/"}],"stream_options":{"include_usage":true}}`,
    );
  });

  test('other stream options are kept beside it', async () => {
    const tenant = await addTenant(site);
    await tenant.call({ ...STREAM, stream_options: { include_obfuscation: false } });
    expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
  });
});

describe('model names in streams', () => {
  test.each([
    ['chat', {}, '/v1/chat/completions'],
    ['a legacy completion', { prompt: 'hi', messages: undefined }, '/v1/completions'],
  ])('%s shows the requested name on every chunk', async (_what, fields, path) => {
    const tenant = await addTenant(site, { upstreamModel: 'upstream-name' });
    const streamed = await tenant.call(
      {},
      { path, body: tenant.body({ ...fields, ...WITH_USAGE }) },
    );
    const plain = await tenant.call({}, { path, body: tenant.body(fields) });
    expect(bodyIn(site.upstream.requests.at(-1)?.body ?? '').model).toBe('upstream-name');
    const names = [...chunksIn(streamed.text), bodyIn(plain.text)].map(({ model }) => model);
    expect(names.length).toBeGreaterThan(4);
    expect(new Set(names)).toEqual(new Set([tenant.model]));
    expect(streamed.text + plain.text).not.toContain('upstream-name');
  });
});

describe.each(databases)('the last frame waits for the settlement, $kind', async ({ kind }) => {
  const site = await sharedSite({ database: kind });

  /** A transaction of another process that locks the user's row; returns how to end it. */
  async function lockUser(userId: number): Promise<() => Promise<void>> {
    const other = await openDatabases(site.dsn);
    const transaction = await other.db.transaction();
    await transaction('users').where({ id: userId }).increment('quota', 0);
    return async () => {
      await transaction.commit();
      await other.close();
    };
  }

  test('[DONE] is sent when the charge is committed, content before it', async () => {
    const tenant = await addTenant(site);
    tenant.script('hold:4');
    const answer = await tenant.start(STREAM);
    const begun = await readUntil(answer, (text) => contentIn(chunksIn(text)) !== '');
    const unlock = await lockUser(tenant.user.id);
    site.upstream.release();
    const finished = await readUntil(answer, (text) => text.includes('"stop"'), begun);
    await site.upstream.until(({ servedInFull }) => servedInFull === 1);
    const last = rest(answer);
    await site.call({ path: '/health/live', key: '' });
    expect(finished).not.toContain('[DONE]');
    expect(await site.ledgerOf(answer.requestId)).toEqual([]);
    await unlock();
    expect(await last).toBe('data: [DONE]\n\n');
    expect(await site.ledgerOf(answer.requestId)).toHaveLength(1);
    expect((await tenant.bill()).charges).toHaveLength(1);
  });

  test('a whole answer is sent when the charge is committed', async () => {
    const tenant = await addTenant(site);
    tenant.script('hold');
    const pending = tenant.call();
    await site.upstream.until(({ openCalls }) => openCalls === 1);
    const unlock = await lockUser(tenant.user.id);
    site.upstream.release();
    await site.upstream.until(({ servedInFull }) => servedInFull === 1);
    expect(await isPending(pending, site)).toBe(true);
    expect(await site.chargesOf(tenant.user.id)).toEqual([]);
    await unlock();
    const { requestId } = await pending;
    expect(await site.ledgerOf(requestId)).toHaveLength(1);
  });
});

describe('the end of a stream', () => {
  test('data after [DONE] is dropped, and the end mark is sent once', async () => {
    const tenant = await rawTenant();
    raw.answer = streamed(contentChunk('a'), FINISH, '[DONE]', contentChunk('late'), '[DONE]');
    const { text } = await tenant.call(STREAM);
    expect(text).toBe(streamText(contentChunk('a'), FINISH, '[DONE]'));
  });

  test('an upstream that keeps the connection open after [DONE] does not delay the client', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) =>
      response.writeHead(200, SSE).write(streamText(contentChunk('a'), FINISH, '[DONE]'));
    const { text } = await tenant.call(STREAM);
    expect(text).toBe(streamText(contentChunk('a'), FINISH, '[DONE]'));
    await eventually('its connection is given up', () => raw.open.size === 0);
  });

  test('an upstream that keeps sending after [DONE] is disconnected', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) => {
      response.writeHead(200, SSE).write(streamText(contentChunk('a'), FINISH, '[DONE]'));
      return pour(response, eventText(contentChunk('x'.repeat(1000))), 100_000);
    };
    const { text } = await tenant.call(STREAM);
    expect(text).toBe(streamText(contentChunk('a'), FINISH, '[DONE]'));
    await eventually('its connection is given up', () => raw.open.size === 0);
  });

  test('upstream connections are reused between streams', async () => {
    const tenant = await addTenant(site);
    const before = site.upstream.stats.openConnections;
    for (let call = 0; call < 5; call += 1) await tenant.call(STREAM);
    expect(site.upstream.stats.openConnections - before).toBeLessThanOrEqual(1);
  });
});

describe('keep-alive pings', () => {
  test('comments keep a silent stream open, only between frames and not before the first', async () => {
    await site.option('general_setting.ping_interval_seconds', 1);
    await site.option('general_setting.ping_interval_enabled', true);
    const tenant = await rawTenant();
    const second = eventText(contentChunk('two'));
    let finish = () => {};
    raw.answer = (response) => {
      response.writeHead(200, SSE);
      response.write(eventText(contentChunk('one')) + second.slice(0, 20));
      finish = () => response.end(second.slice(20) + streamText(FINISH, '[DONE]'));
    };
    const answer = await tenant.start(STREAM);
    const half = await readUntil(answer, (text) => text.split(': PING\n\n').length > 2);
    await site.option('general_setting.ping_interval_enabled', false);
    finish();
    const text = half + (await rest(answer));
    expect(half.startsWith(eventText(contentChunk('one')))).toBe(true);
    expect(text.replaceAll(': PING\n\n', '')).toBe(
      streamText(contentChunk('one'), contentChunk('two'), FINISH, '[DONE]'),
    );
  });
});

describe('backpressure', () => {
  const MEGABYTE = 1024 * 1024;
  const PIECE = eventText(contentChunk('x'.repeat(16 * 1024)));
  const TIMES = 6000;

  test('a client that does not read pauses the upstream, memory stays bounded, and no byte is lost', async () => {
    const tenant = await rawTenant();
    raw.answer = async (response) => {
      response.writeHead(200, SSE);
      await pour(response, PIECE, TIMES);
      response.end(streamText(FINISH, '[DONE]'));
    };
    const memoryBefore = process.memoryUsage().arrayBuffers;
    const answer = await tenant.start(STREAM);
    const [held] = raw.open;
    if (held === undefined) throw new Error('the upstream was not called');
    const sent = await standsStill(() => bytesOut(held));
    // The socket buffers on both sides fill; most of the 96 MB is still to come.
    expect(sent).toBeLessThan(32 * MEGABYTE);
    expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(24 * MEGABYTE);
    let bytes = 0;
    for await (const part of answer.body) bytes += part.length;
    expect(bytes).toBe(PIECE.length * TIMES + streamText(FINISH, '[DONE]').length);
  });

  test('a client that reads slowly gets every byte in order', async () => {
    const tenant = await rawTenant();
    const frames = Array.from({ length: 3000 }, (_, at) =>
      contentChunk(`${at} ${'世'.repeat(200)}`),
    );
    raw.answer = streamed(...frames, FINISH, '[DONE]');
    const answer = await tenant.start(STREAM);
    const parts: Buffer[] = [];
    for await (const part of answer.body) {
      parts.push(part);
      await site.call({ path: '/health/live', key: '' });
    }
    expect(Buffer.concat(parts).toString()).toBe(streamText(...frames, FINISH, '[DONE]'));
  });
});

test('two hundred concurrent streams each get their own answer and charge', async () => {
  // The hold of each is for its full length.
  const ENOUGH = 1_000_000_000;
  const tenant = await addTenant(site, { quota: ENOUGH, tokenLimit: ENOUGH });
  const COUNT = 200;
  const answers = await Promise.all(
    Array.from({ length: COUNT }, (_, at) =>
      tenant.call({ ...WITH_USAGE, messages: [{ role: 'user', content: `number ${at}` }] }),
    ),
  );
  let units = 0;
  for (const [at, answer] of answers.entries()) {
    const body = tenant.body({ messages: [{ role: 'user', content: `number ${at}` }] });
    const { usage, texts } = expectedAnswer(body);
    expect(contentIn(chunksIn(answer.text))).toBe(texts[0]);
    expect(eventsIn(answer.text).at(-1)).toBe('[DONE]');
    units += unitsOf(tokensOfUsage(usage), PRICE);
  }
  expect(await tenant.bill()).toMatchObject({
    charges: { length: COUNT },
    spent: { user: units, token: units, channel: units },
  });
});

test('a chunk with the role alone counts as the first frame', async () => {
  const tenant = await rawTenant();
  const role = chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null });
  raw.answer = (response) => response.writeHead(200, SSE).write(eventText(role));
  const answer = await tenant.start(STREAM);
  expect(answer.status).toBe(200);
  await answer.leave();
});
