/** What only Responses clients send and expect, over all upstreams of other dialects. */
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectIn, objectsIn } from '../../../src/json/read-json.ts';
import { framesIn } from '../../dialects/hub/streams.ts';
import { aDialectSite, UPSTREAMS } from './dialect-site.ts';
import { ResponseResource } from './response-schema.ts';

const site = await aDialectSite();

const PAIRS = Object.keys(UPSTREAMS)
  .filter((upstream) => upstream !== 'responses')
  .flatMap((upstream) => [false, true].map((stream) => ({ upstream, stream })));

/** The response, of a stream the last one. */
async function responseTo(body: JsonObject): Promise<JsonObject> {
  const { status, text } = await site.call({ path: '/v1/responses', body });
  expect(status, text).toBe(200);
  const last = body.stream ? framesIn(text).at(-1) : JSON.parse(text);
  return objectIn(last, 'response') ?? last;
}

function sentUpstream(): string {
  return site.upstream.requests.at(-1)?.body ?? '';
}

describe.each(PAIRS)('over a $upstream upstream, streamed: $stream', ({ upstream, stream }) => {
  const model = `via-${upstream}`;

  test('tools of namespaces are offered, called and replayed', async () => {
    const read = { type: 'function', name: 'read', parameters: { type: 'object', properties: {} } };
    const tools = ['mcp__files', 'mcp__mail__'].map((name) => ({
      type: 'namespace',
      name,
      description: name,
      tools: [read],
    }));
    const input = [{ role: 'user', content: 'Use mcp__files__read and mcp__mail__read' }];
    const first = await responseTo({ model, stream, tools, input });
    const calls = objectsIn(first, 'output').filter(({ type }) => type === 'function_call');
    expect(calls.map(({ namespace, name }) => [namespace, name])).toEqual([
      ['mcp__files', 'read'],
      ['mcp__mail__', 'read'],
    ]);
    const outputs = calls.map(({ call_id }) => ({
      type: 'function_call_output',
      call_id,
      output: 'sunny',
    }));
    site.upstream.reset();
    await responseTo({ model, stream, tools, input: [...input, ...calls, ...outputs] });
    expect(sentUpstream().match(/"mcp__(files|mail)__read"/g)?.length).toBeGreaterThanOrEqual(4);
    expect(sentUpstream()).toContain('sunny');
  });

  test('every response of an answer is complete', async () => {
    const tool = {
      type: 'function',
      name: 'get_weather',
      parameters: { type: 'object', properties: {} },
    };
    const bodies = [
      { input: 'Hi' },
      { input: 'Think about it', model: `thinks-${upstream}` },
      { input: 'Use get_weather', tools: [tool], temperature: 0.5, metadata: { a: 'b' } },
    ];
    for (const body of bodies) {
      const { status, text } = await site.call({
        path: '/v1/responses',
        body: { model, stream, ...body },
      });
      expect(status, text).toBe(200);
      const frames = stream ? framesIn(text) : [{ response: JSON.parse(text) }];
      const resources = frames.flatMap((frame) => objectIn(frame, 'response') ?? []);
      expect(resources).toHaveLength(stream ? 3 : 1);
      for (const resource of resources) ResponseResource.parse(resource);
      expect(resources.at(-1)).toMatchObject({
        status: 'completed',
        completed_at: expect.any(Number),
      });
      expect(resources.at(-1)).toMatchObject({
        temperature: Object.hasOwn(body, 'tools') ? 0.5 : 1,
      });
    }
  });
});

test('what only native upstreams serve is refused with what to do instead', async () => {
  const model = 'via-anthropic';
  const input = [{ type: 'item_reference', id: 'msg_1' }];
  const reference = await site.call({ path: '/v1/responses', body: { model, input } });
  expect([reference.status, JSON.parse(reference.text).error]).toMatchObject([
    400,
    { param: 'input.0', message: expect.stringMatching(/item_reference.*store: false/) },
  ]);
  const unknown = await site.call({
    path: '/v1/responses',
    body: { model: 'via-responses', input },
  });
  expect(JSON.parse(unknown.text).error.message).toMatch(/msg_1 by item_reference/);
  const compact = await site.call({ path: '/v1/responses/compact', body: { model, input: 'Hi' } });
  expect([compact.status, JSON.parse(compact.text).error]).toMatchObject([
    501,
    { code: 'api_not_implemented', message: expect.stringContaining('compact') },
  ]);
});
