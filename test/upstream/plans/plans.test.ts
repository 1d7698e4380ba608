import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectedAnswer, expectedUsage } from '../content/usage.ts';
import { type FakeUpstream, startFakeUpstream } from '../server.ts';
import {
  type Body,
  bodyIn,
  CHAT,
  chunksIn,
  contentIn,
  eventsIn,
  open,
  readUntil,
  type Seen,
  STREAM,
  see,
  unzipped,
} from '../wire.ts';
import { PRESETS } from './presets.ts';

let upstream: FakeUpstream;
beforeAll(async () => {
  upstream = await startFakeUpstream();
});
beforeEach(() => upstream.reset());
afterAll(() => upstream.close());

const TEXT = expectedAnswer(CHAT).texts[0];

function under(plan: string, body: unknown = STREAM): Promise<Seen> {
  return see(upstream.url, { body, headers: { 'x-fake-plan': plan } });
}

function errorOf(text: string): Body['error'] {
  return bodyIn(text).error;
}

describe('plan selection', () => {
  test('uses the script, then the header, then the model name, then the default', async () => {
    const body = { ...CHAT, model: 'gpt-4o-mini+status:503' };
    upstream.setDefault('status:504');
    upstream.script('status:501');
    expect((await under('status:502', body)).status).toBe(501);
    expect((await under('status:502', body)).status).toBe(502);
    expect((await see(upstream.url, { body })).status).toBe(503);
    expect((await see(upstream.url, { body: CHAT })).status).toBe(504);
    upstream.reset();
    expect((await see(upstream.url, { body: CHAT })).status).toBe(200);
  });

  test('accepts an object, JSON, or names joined with a plus sign', async () => {
    upstream.script({ refuse: { status: 507 } });
    expect((await see(upstream.url, { body: CHAT })).status).toBe(507);
    expect((await under('{"refuse":{"status":508}}')).status).toBe(508);
    const both = await under('crlf+no-done');
    expect(both.text).toMatch(/\r\n\r\n/);
    expect(both.text).not.toContain('[DONE]');
  });

  test('refuses an unknown plan by name, and script() throws at once', async () => {
    const seen = await under('hang-strem');
    expect([seen.status, errorOf(seen.text)?.code]).toEqual([400, 'bad_plan']);
    expect(errorOf(seen.text)?.message).toContain('hang-stream');
    expect(() => upstream.script('nope')).toThrow('unknown plan "nope"');
    expect(() => upstream.script('{"evnts":3}')).toThrow('bad plan');
    expect(() => upstream.script('events:many')).toThrow('not a number');
  });

  test('accepts every name in the list of plans', () => {
    expect(() => upstream.script(...Object.keys(PRESETS))).not.toThrow();
  });
});

describe('error responses', () => {
  test.each([
    ['status:418', 418, 'invalid_request_error', null],
    ['status:500', 500, 'server_error', null],
    ['rate-limit', 429, 'requests', 'rate_limit_exceeded'],
    ['insufficient-quota', 429, 'insufficient_quota', 'insufficient_quota'],
    ['invalid-key', 401, 'invalid_request_error', 'invalid_api_key'],
    ['key-deactivated', 403, 'permission_error', 'account_deactivated'],
    ['model-not-found', 404, 'invalid_request_error', 'model_not_found'],
    ['context-length', 400, 'invalid_request_error', 'context_length_exceeded'],
    ['azure-filter', 400, null, 'content_filter'],
  ])('%s returns %i %s %s', async (plan, status, type, code) => {
    const seen = await under(plan);
    expect(seen.status).toBe(status);
    expect(errorOf(seen.text)).toMatchObject({ type, code, message: expect.any(String) });
  });

  test('a rate limit sends the wait in seconds or milliseconds', async () => {
    expect((await under('rate-limit:7')).headers['retry-after']).toBe('7');
    expect((await under('rate-limit-ms:30')).headers['retry-after-ms']).toBe('30');
  });

  test.each([
    ['html-error', 502, 'text/html; charset=UTF-8', /^<!DOCTYPE html>[\s\S]*<title>/],
    ['empty-error', 500, 'text/plain', /^$/],
    ['sse-error:503', 503, 'text/event-stream', /^event: error\ndata: \{"error":.*\}\n\n$/],
    ['array-error', 400, 'application/json', /^\[\{"error":\{"code":400/],
    ['detail-error', 422, 'application/json', /^\{"detail":\[\{.*"loc":/],
    ['detail-error:400', 400, 'application/json', /^\{"detail":"/],
    ['error-style:string', 500, 'application/json', /^\{"error":"/],
    ['error-style:message:404', 404, 'application/json', /"message":.*"code":404/],
    ['error-style:msg', 500, 'application/json', /"msg":/],
    ['error-style:errors', 500, 'application/json', /"errors":\[\{/],
    ['error-style:baidu', 200, 'application/json', /^\{"error_code":\d+,"error_msg":/],
    ['error-style:minimax', 200, 'application/json', /"base_resp":\{"status_code":1002/],
    ['error-style:tencent', 200, 'application/json', /^\{"Response":\{"Error":\{/],
    ['error-style:dashscope:429', 429, 'application/json', /^\{"code":"Throttling"/],
    ['ok-with-error-body', 200, 'text/event-stream; charset=utf-8', /^data: \{"error":.*\}\n\n$/],
  ])('%s has status %i and type %s', async (plan, status, contentType, body) => {
    const seen = await under(plan);
    expect([seen.status, seen.headers['content-type'], seen.end]).toEqual([
      status,
      contentType,
      'whole',
    ]);
    expect(seen.text).toMatch(body);
  });

  test('an error with status 200 is plain JSON for non-streamed requests', async () => {
    const seen = await under('ok-with-error-body', CHAT);
    expect([seen.status, seen.headers['content-type']]).toEqual([200, 'application/json']);
    expect(errorOf(seen.text)).toMatchObject({ type: 'server_error' });
  });

  test('early-error sends success headers before the error', async () => {
    const seen = await under('early-error:20');
    expect(String(seen.reads[0])).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n$/);
    expect(seen.text).toMatch(/^data: \{"error"/);
  });
});

describe('broken responses', () => {
  test('reset-before-headers resets the connection before sending anything', async () => {
    const seen = await under('reset-before-headers');
    expect([seen.end, seen.reads]).toEqual(['reset', []]);
  });

  test('reset-mid-body cuts a non-streamed body at half of its declared length', async () => {
    const seen = await under('reset-mid-body', CHAT);
    expect(seen.end).toBe('reset');
    expect(seen.bytes.length).toBe(Math.floor(Number(seen.headers['content-length']) / 2));
  });

  test.each([
    ['reset-stream:2', 'reset', 2],
    ['drop-stream:2', 'short', 2],
    ['end-stream-early:2', 'whole', 2],
    ['end-stream-early:900', 'whole', expectedUsage(CHAT).completion_tokens ?? 0],
  ])(
    '%s ends with %s after %i events and never with a finish_reason',
    async (plan, end, events) => {
      const seen = await under(plan);
      const chunks = chunksIn(seen.text);
      expect(seen.end).toBe(end);
      // The role chunk is one of the events: the limit keeps it and all of the text.
      expect(chunks).toHaveLength(events === 2 ? 2 : events + 1);
      expect(
        chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.finish_reason)),
      ).not.toContain('stop');
    },
  );

  test('error-mid-stream ends with an error event', async () => {
    const seen = await under('error-mid-stream:2');
    const chunks = chunksIn(seen.text);
    expect([seen.end, chunks.length, chunks[2]?.error?.type]).toEqual(['whole', 3, 'server_error']);
    expect((await under('error-mid-stream', CHAT)).status).toBe(500);
  });

  test.each(['garbage-json:2', 'truncated-json:2'])(
    '%s returns a complete response that cannot be parsed',
    async (plan) => {
      const streamed = await under(plan);
      const events = eventsIn(streamed.text);
      expect([streamed.end, events.length]).toEqual(['whole', 3]);
      expect(() => JSON.parse(events[1] ?? '')).not.toThrow();
      expect(() => JSON.parse(events[2] ?? '')).toThrow();
      const plain = await under(plan, CHAT);
      expect(plain.end).toBe('whole');
      expect(() => JSON.parse(plain.text)).toThrow();
    },
  );

  test('hang-headers reads the request and sends nothing until the client leaves', async () => {
    const socket = await open(upstream.url, {
      body: CHAT,
      headers: { 'x-fake-plan': 'hang-headers' },
    });
    await upstream.until((stats) => stats.openCalls === 1);
    expect(socket.bytesRead).toBe(0);
    socket.destroy();
    await upstream.until((stats) => stats.aborted === 1);
  });

  test.each([
    ['hang-stream:2', 2],
    ['hang-stream:0', 0],
  ])('%s sends headers and %i events, then leaves the connection open', async (plan, events) => {
    const socket = await open(upstream.url, { body: STREAM, headers: { 'x-fake-plan': plan } });
    const count = (text: string) => text.split('data: {').length - 1;
    const text = await readUntil(socket, (so) => so.includes('\r\n\r\n') && count(so) === events);
    expect(text).toMatch(/^HTTP\/1.1 200/);
    expect(upstream.stats).toMatchObject({ openCalls: 1, openStreams: 1 });
    socket.destroy();
    await upstream.until((stats) => stats.openCalls === 0);
  });
});

describe('stream formatting', () => {
  test.each([
    'bom',
    'crlf',
    'cr',
    'comments',
    'no-space',
    'multiline',
    'event-fields',
    'no-done',
    'no-tail',
    'split:3',
    'content-type',
    'blank-lines:2',
  ])('%s changes bytes but not the text', async (plan) => {
    const usual = await under('ok');
    const seen = await under(plan);
    expect(contentIn(chunksIn(seen.text))).toBe(TEXT);
    expect(seen.end).toBe('whole');
    if (plan !== 'split:3' && plan !== 'content-type') expect(seen.text).not.toBe(usual.text);
  });

  test.each([
    ['bom', /^\uFEFFdata: /],
    ['crlf', /^(data: .*\r\n\r\n)+$/],
    ['cr', /^(data: [^\r\n]*\r\r)+$/],
    ['comments', /^(: keep-alive\n\n\ndata: .*\n\n)+$/],
    ['no-space', /^(data:[^ ].*\n\n)+$/],
    ['multiline', /^(data: \{\n(data: .*\n)+\n)+data: \[DONE\]\n\n$/],
    ['event-fields', /^(id: \d+\nretry: 3000\ndata: .*\nevent: message\n\n)+$/],
    ['no-done', /"usage":\{[^[]*\}\n\n$/],
    ['no-tail', /"usage":\{.*\}\}$/],
    ['blank-lines:2', /^\n\ndata: /],
  ])('%s is formatted as documented', async (plan, spelling) => {
    expect((await under(plan)).text).toMatch(spelling);
  });

  test('split:1 sends one byte at a time', async () => {
    const seen = await under('split:1', CHAT);
    // A busy machine may join a few writes before they are read, but never whole events.
    expect(seen.reads.length).toBeGreaterThan(seen.bytes.length / 4);
    expect(bodyIn(seen.text).choices[0]?.message?.content).toBe(TEXT);
  });

  test('split-multibyte splits writes inside characters', async () => {
    const seen = await under('split-multibyte');
    expect(contentIn(chunksIn(seen.text))).toBe(expectedAnswer(CHAT, 'split-multibyte').texts[0]);
    const endsInside = seen.reads.filter((read) => /\uFFFD/.test(new TextDecoder().decode(read)));
    expect(endsInside.length).toBeGreaterThan(10);
  });

  test('gzip compresses a response without being asked', async () => {
    const streamed = await under('gzip');
    expect(streamed.headers['content-encoding']).toBe('gzip');
    expect(contentIn(chunksIn(unzipped(streamed)))).toBe(TEXT);
    expect(bodyIn(unzipped(await under('gzip', CHAT))).usage).toEqual(expectedUsage(CHAT));
  });

  test('a plan can swap streamed and non-streamed responses', async () => {
    const plain = await under('stream-ignored', STREAM);
    expect(plain.headers['content-type']).toBe('application/json');
    expect(bodyIn(plain.text).usage).toEqual(expectedUsage(STREAM));
    const streamed = await under('json-ignored', CHAT);
    expect(streamed.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(chunksIn(streamed.text).at(-1)?.usage).toEqual(expectedUsage(CHAT));
  });

  test('a plan can send a wrong content type or leading blank lines', async () => {
    expect((await under('content-type')).headers['content-type']).toBe('text/plain; charset=utf-8');
    const odd = await under('content-type:application/x-odd+crlf');
    expect(odd.headers['content-type']).toBe('application/x-odd');
    const blank = await under('blank-lines:4', CHAT);
    expect([blank.end, blank.text.slice(0, 5)]).toEqual(['whole', '\n\n\n\n{']);
  });
});

describe('placement of usage', () => {
  const usage = expectedUsage(CHAT);

  async function usagesUnder(plan: string, body: unknown = STREAM): Promise<unknown[]> {
    return chunksIn((await under(plan, body)).text).map((chunk) => chunk.usage);
  }

  test('no-usage and usage-null never report usage', async () => {
    expect(new Set(await usagesUnder('no-usage'))).toEqual(new Set([undefined]));
    expect(new Set(await usagesUnder('usage-null'))).toEqual(new Set([null]));
    expect(bodyIn((await under('no-usage', CHAT)).text)).not.toHaveProperty('usage');
    expect(bodyIn((await under('usage-null', CHAT)).text).usage).toBeNull();
  });

  test('usage-on-choice sends usage with the finish chunk, requested or not', async () => {
    const chunks = chunksIn((await under('usage-on-choice', { ...CHAT, stream: true })).text);
    expect(chunks.at(-1)).toMatchObject({ usage, choices: [{ finish_reason: 'stop' }] });
  });

  test('usage-on-every-chunk sends usage that grows to the total', async () => {
    const usages = await usagesUnder('usage-on-every-chunk');
    const completions = usages.map(
      (one) => (one as { completion_tokens: number }).completion_tokens,
    );
    expect(completions).toEqual([...completions].sort((a, b) => a - b));
    expect([completions[0], completions[1], usages.at(-1)]).toEqual([0, 1, usage]);
  });

  test('usage-before-last is followed by an empty chunk', async () => {
    const [usageChunk, empty] = chunksIn((await under('usage-before-last')).text).slice(-2);
    expect([usageChunk?.usage, empty?.choices, empty?.usage]).toEqual([usage, [], undefined]);
  });

  test('usage-x-groq sends usage in x_groq only', async () => {
    const chunks = chunksIn((await under('usage-x-groq')).text);
    expect(chunks.at(-1)).toMatchObject({ x_groq: { usage } });
    expect(chunks.filter((chunk) => chunk.usage)).toEqual([]);
  });

  test('double-usage sends usage twice', async () => {
    expect((await usagesUnder('double-usage')).filter(Boolean)).toEqual([usage, usage]);
  });

  test('missing-index omits the index of tool calls', async () => {
    const tools = ['a_tool', 'b_tool'].map((name) => ({ type: 'function', function: { name } }));
    const messages = [{ role: 'user', content: 'a_tool b_tool' }];
    const chunks = chunksIn((await under('missing-index', { ...STREAM, messages, tools })).text);
    const calls = chunks.flatMap((chunk) =>
      chunk.choices.flatMap((choice) => choice.delta?.tool_calls ?? []),
    );
    expect(new Set(calls.flatMap((call) => call.id ?? [])).size).toBe(2);
    expect(calls.filter((call) => 'index' in call)).toEqual([]);
  });

  test('content-filter ends a choice with that finish reason', async () => {
    const answer = bodyIn((await under('content-filter', CHAT)).text);
    expect(answer.choices[0]?.finish_reason).toBe('content_filter');
  });
});

describe('pace and size', () => {
  test('events:200:180 sends 200 text events of 180 characters', async () => {
    const chunks = chunksIn((await under('events:200:180')).text);
    const parts = chunks.flatMap((chunk) => chunk.choices[0]?.delta?.content || []);
    expect(parts).toHaveLength(200);
    expect(parts.every((part) => part.length === 180)).toBe(true);
    expect(chunks.at(-1)?.usage).toEqual(expectedUsage(STREAM, 'events:200:180'));
  });

  test('paced:3:20 waits 20 ms between events', async () => {
    const start = performance.now();
    const seen = await under('paced:3:20');
    // Role, three words, finish, usage, [DONE]: six pauses; timers may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(6 * 19);
    expect(seen.reads.length).toBeGreaterThan(3);
  });

  test('delay:30 waits 30 ms before the status line', async () => {
    const start = performance.now();
    await under('delay:30', CHAT);
    expect(performance.now() - start).toBeGreaterThan(28);
  });

  test('slow-body:5:4 sends a non-streamed body in four parts', async () => {
    const seen = await under('slow-body:5:4', CHAT);
    expect([seen.reads.length >= 4, seen.end]).toEqual([true, 'whole']);
    expect(bodyIn(seen.text).usage).toEqual(expectedUsage(CHAT));
  });

  test('hold keeps calls open until release, before the headers or within the stream', async () => {
    const socket = await open(upstream.url, { body: STREAM, headers: { 'x-fake-plan': 'hold:2' } });
    const count = (text: string) => text.split('data: {').length - 1;
    const early = await readUntil(socket, (text) => count(text) === 2);
    expect(early).not.toContain('[DONE]');
    const headless = under('hold', CHAT);
    await upstream.until((stats) => stats.openCalls === 2);
    upstream.release();
    expect((await headless).status).toBe(200);
    expect(await readUntil(socket, (text) => text.includes('[DONE]'))).toContain('"usage":{');
    socket.destroy();
  });

  test('huge-body and huge-event have the requested size on one line', async () => {
    const plain = await under('huge-body:2', CHAT);
    expect([plain.end, plain.bytes.length > 2 * 1024 * 1024]).toEqual(['whole', true]);
    expect(bodyIn(plain.text).usage).toEqual(expectedUsage(CHAT, 'huge-body:2'));
    const streamed = await under('huge-event:2');
    expect(contentIn(chunksIn(streamed.text))).toHaveLength(2 * 1024 * 1024);
  });
});
