/** Streams split, framed, compressed and broken in every way: the response, and the charge. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contentChunk, FINISH } from '../../dialects/frames.ts';
import { eventually, type SiteAnswer } from '../../support/site.ts';
import { expectedAnswer } from '../../upstream/content/usage.ts';
import { bodyIn, chunksIn, contentIn, eventsIn } from '../../upstream/wire.ts';
import { rawSite } from '../raw-site.ts';
import { eventText, SSE, streamed, streamText } from '../raw-upstream.ts';
import { addTenant, NOTHING, type Tenant } from '../tenant.ts';

/** Long compared with the pauses of a busy machine: only the tests of silence wait for it. */
const IDLE_MS = 2_000;

const { site, raw, rawTenant } = await rawSite({
  upstreams: 2,
  config: { streamIdleTimeoutMs: IDLE_MS / 1000 },
});

const STREAM = { stream: true } as const;
const WITH_USAGE = { stream: true, stream_options: { include_usage: true } } as const;

async function expectWhole(tenant: Tenant, answer: SiteAnswer, plan?: string): Promise<void> {
  const { usage, texts } = expectedAnswer(tenant.body(), plan);
  const events = eventsIn(answer.text);
  const chunks = events.slice(0, -1).map(bodyIn);
  expect(answer.status).toBe(200);
  expect(events.filter((data) => data === '[DONE]')).toHaveLength(1);
  expect(events.at(-1)).toBe('[DONE]');
  expect(contentIn(chunks)).toBe(texts[0]);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: usage.total_tokens } });
  await tenant.expectUsageCharged(answer.requestId, usage);
}

/** The error of a broken stream, whose frames end with it and the end mark. */
function errorIn(answer: SiteAnswer) {
  const events = eventsIn(answer.text);
  expect(events.at(-1)).toBe('[DONE]');
  return bodyIn(events.at(-2) ?? '').error;
}

describe('stream framing', () => {
  test.each([
    ['a character cut in two', 'split-multibyte+crlf'],
    ['a line cut anywhere', 'split:1'],
    ['other line ends', 'crlf+split:1'],
    ['other line ends', 'cr'],
    ['no line end at the end', 'no-tail'],
    ['comments', 'comments+crlf+split:3'],
    ['a byte order mark', 'bom+split:1'],
    ['no space after the colon', 'no-space'],
    ['data in several lines', 'multiline+split:5'],
    ['other fields', 'event-fields+crlf'],
    ['no end mark', 'no-done'],
    ['compressed without being requested', 'gzip+split:1'],
    ['compressed without being requested', 'gzip+no-done'],
    ['a wrong content type', 'content-type:text/plain'],
    ['a wrong content type', 'content-type:application/octet-stream+split:9'],
  ])('%s (%s): the whole answer, charged by its usage', async (_what, plan) => {
    const tenant = await addTenant(site);
    tenant.script(plan);
    await expectWhole(tenant, await tenant.call(WITH_USAGE), plan);
  });

  test('gzip: each frame is forwarded on arrival, not when the stream is complete', async () => {
    const tenant = await addTenant(site);
    tenant.script({ gzip: true, events: 2000, hold: 4 });
    const answer = await tenant.start(STREAM);
    const { value } = await answer.body.iterator({ destroyOnReturn: false }).next();
    expect(String(value)).toContain('w0 ');
    expect(site.upstream.stats.openStreams).toBe(1);
    site.upstream.release();
    let text = String(value);
    for await (const bytes of answer.body) text += String(bytes);
    expect(contentIn(chunksIn(text))).toBe(expectedAnswer(tenant.body(), 'events:2000').texts[0]);
  });

  test.each([
    ['broken', Buffer.from('this is not gzip')],
    ['unknown', Buffer.from('')],
  ])('a %s content encoding is a failed attempt', async (what, body) => {
    const tenant = await rawTenant();
    const encoding = what === 'unknown' ? 'compress' : 'gzip';
    raw.answer = (response) =>
      response.writeHead(200, { ...SSE, 'content-encoding': encoding }).end(body);
    const answer = await tenant.call(STREAM);
    expect([answer.status, bodyIn(answer.text).error?.code]).toEqual([502, 'bad_response_body']);
    await tenant.expectNothing(answer.requestId);
  });

  test('a truncated gzip stream is a broken stream', async () => {
    const tenant = await rawTenant();
    const packed = gzipSync(streamText(contentChunk('one'), contentChunk('two'), FINISH, '[DONE]'));
    raw.answer = (response) =>
      response
        .writeHead(200, { ...SSE, 'content-encoding': 'gzip' })
        .end(packed.subarray(0, packed.length - 20));
    const answer = await tenant.call(STREAM);
    expect(errorIn(answer)).toMatchObject({ code: 'upstream_stream_interrupted' });
  });
});

describe('one huge event', () => {
  test('is accepted below the limit', async () => {
    const tenant = await addTenant(site);
    tenant.script('huge-event:4');
    await expectWhole(tenant, await tenant.call(WITH_USAGE), 'huge-event:4');
  });

  test('is a failed attempt above the limit, and is not charged', async () => {
    const tenant = await addTenant(site);
    tenant.script('huge-event:11');
    const answer = await tenant.call(STREAM);
    expect([answer.status, bodyIn(answer.text).error?.code]).toEqual([
      502,
      'upstream_response_too_large',
    ]);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    await tenant.expectNothing(answer.requestId);
  });
});

describe('a silent upstream', () => {
  test('in the middle of a stream causes an OpenAI error and the end mark', async () => {
    const tenant = await addTenant(site);
    tenant.script('hang-stream:4');
    const answer = await tenant.call(STREAM);
    expect(errorIn(answer)).toEqual({
      message: expect.stringContaining(`(request id: ${answer.requestId})`),
      type: 'upstream_error',
      param: null,
      code: 'upstream_timeout',
    });
    await site.upstream.until(({ openCalls }) => openCalls === 0);
  });

  test('is not assumed for comments or slow chunks', async () => {
    const tenant = await rawTenant();
    raw.answer = async (response) => {
      response.writeHead(200, SSE).write(eventText(contentChunk('one')));
      for (let beat = 0; beat < 5; beat += 1)
        await written(response, ': thinking\n\n', IDLE_MS / 2);
      response.end(streamText(contentChunk('two'), FINISH, '[DONE]'));
    };
    const answer = await tenant.call(STREAM);
    expect(contentIn(chunksIn(answer.text))).toBe('onetwo');
  });

  test('has twice the time limit for models known to think long', async () => {
    const tenant = await addTenant(site, { upstreamModel: 'o3-mini' });
    tenant.script({ events: 2, chunkDelayMs: IDLE_MS * 1.5, usage: 'none' });
    const answer = await tenant.call(STREAM);
    expect(eventsIn(answer.text).at(-2)).toContain('"stop"');
  });

  test('after the last finish reason ends the answer successfully', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) =>
      response.writeHead(200, SSE).write(streamText(contentChunk('all of it'), FINISH));
    const answer = await tenant.call(STREAM);
    expect(answer.text).toBe(streamText(contentChunk('all of it'), FINISH, '[DONE]'));
    expect((await tenant.bill()).charges).toHaveLength(1);
    await eventually('the silent connection is given up', () => raw.open.size === 0);
  });
});

/** Writes, and resolves after a pause by the upstream. */
function written(response: { write(text: string): unknown }, text: string, pauseMs: number) {
  response.write(text);
  return new Promise((resolve) => {
    setTimeout(resolve, pauseMs);
  });
}

describe('the connection breaks', () => {
  test('after the last finish reason, and the answer is still complete', async () => {
    const tenant = await rawTenant();
    raw.answer = (response) =>
      response
        .writeHead(200, SSE)
        .write(streamText(contentChunk('all of it'), FINISH), () =>
          setImmediate(() => response.socket?.resetAndDestroy()),
        );
    const answer = await tenant.call(STREAM);
    expect(answer.text).toBe(streamText(contentChunk('all of it'), FINISH, '[DONE]'));
    expect((await tenant.bill()).charges).toHaveLength(1);
  });

  test('with one choice of two unfinished, and the answer is broken', async () => {
    const tenant = await rawTenant();
    const second = JSON.stringify({
      ...JSON.parse(contentChunk('half')),
      choices: [{ index: 1, delta: { content: 'half' }, finish_reason: null }],
    });
    raw.answer = streamed(contentChunk('whole'), second, FINISH);
    const answer = await tenant.call({ ...STREAM, n: 2 });
    expect(errorIn(answer)).toMatchObject({ code: 'upstream_stream_interrupted' });
  });

  test('content and an error in one packet: the content is sent, then the error', async () => {
    const tenant = await rawTenant();
    raw.answer = streamed(
      contentChunk('delivered '),
      contentChunk('before '),
      { error: { message: 'the model fell over', type: 'server_error', code: 'oops' } },
      contentChunk('after'),
    );
    const answer = await tenant.call(STREAM);
    expect(contentIn(eventsIn(answer.text).slice(0, -2).map(bodyIn))).toBe('delivered before ');
    expect(errorIn(answer)).toMatchObject({ type: 'server_error', code: 'oops' });
    expect((await tenant.bill()).charges).toHaveLength(1);
  });

  test('upstream messages are hidden in the middle of a stream too', async () => {
    const tenant = await addTenant(site);
    await site.option('global.hide_upstream_error_enabled', true);
    tenant.script('error-mid-stream:3');
    const headers = { 'accept-language': 'zh' };
    const answer = await tenant
      .call(STREAM, { headers })
      .finally(() => site.option('global.hide_upstream_error_enabled', false));
    expect(answer.text).not.toContain('The server had an error');
    expect(errorIn(answer)).toMatchObject({
      code: 'upstream_error',
      type: 'upstream_error',
      message: expect.stringContaining('上游返回错误，状态码 500'),
    });
  });

  test('the attempt and, if enabled, the error log record a stream error for the operator', async () => {
    const tenant = await addTenant(site);
    await site.option('LogErrorEnabled', true);
    tenant.script('error-mid-stream:1');
    const answer = await tenant.call(STREAM).finally(() => site.option('LogErrorEnabled', false));
    expect(await tenant.bill()).toEqual(NOTHING);
    const [row] = await site.logsOf(answer.requestId);
    expect(row).toMatchObject({
      type: 6,
      quota: 0,
      content: 'The server had an error while processing your request.',
    });
  });
});
