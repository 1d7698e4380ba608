/** Background responses of upstreams: started, polled, cancelled, and charged once. */

import { describe, expect, test } from 'vitest';
import { pollBackground } from '../../../src/relay/features/responses/poll-responses.ts';
import { releaseOrphanedHolds } from '../../../src/services/cluster/nodes.ts';
import { failedCallOfRequest } from '../../../src/store/logs/failed-calls.ts';
import { framesIn } from '../../dialects/hub/streams.ts';
import { rawSite } from '../raw-site.ts';
import { type RawRequest, SSE } from '../raw-upstream.ts';
import { addTenant, NOTHING, type Tenant } from '../tenant.ts';

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
/** Ratio 1 for input and output. */
const UNITS = 15;
const PRICE = { ratio: '1', completion: '1' } as const;

const { site, raw } = await rawSite({ options: { LogErrorEnabled: true } });

let made = 0;

/** A tenant to an upstream with one response, whose state the test sets. */
async function aLongCall() {
  const tenant = await addTenant(site, { price: PRICE, channel: { type: 1, base_url: raw.url } });
  made += 1;
  const id = `resp_long_${made}`;
  const state: { response: Record<string, unknown>; requests: string[]; gone: boolean } = {
    response: { id, object: 'response', status: 'queued', background: true, output: [] },
    requests: [],
    gone: false,
  };
  raw.answer = (response, { method, path }: RawRequest) => {
    const action = path.replace(`/v1/responses`, '').replace(`/${id}`, '{id}').split('?')[0];
    state.requests.push(`${method} ${action}`.trim());
    if (action === '{id}/cancel') state.response = { ...state.response, status: 'cancelled' };
    const json = { ...state.response, model: 'upstream-name' };
    response.writeHead(state.gone ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(state.gone ? { error: { message: 'not found' } } : json));
  };
  const finish = (extra: object = {}) => {
    state.response = {
      ...state.response,
      status: 'completed',
      usage: USAGE,
      output: [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Done at last' }],
        },
      ],
      ...extra,
    };
  };
  const begin = (extra: object = {}) =>
    tenant.call(
      {},
      {
        path: '/v1/responses',
        body: { model: tenant.model, input: 'Think long', background: true, ...extra },
      },
    );
  const at = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', key = tenant.token.key) =>
    site.call({ path: `/v1/responses/${id}${path}`, method, key });
  return { tenant, id, state, finish, begin, at };
}

const poll = (ctx = site.ctx) => pollBackground(ctx, AbortSignal.timeout(10_000));
const later = (hours: number) => ({ ...site.ctx, now: () => Date.now() + hours * 3_600_000 });

function expectPaid(tenant: Tenant, requestId: string) {
  return tenant.expectCharged(requestId, {
    units: UNITS,
    source: 'upstream',
    prompt: USAGE.input_tokens,
    completion: USAGE.output_tokens,
  });
}

describe('a background response', () => {
  test('takes a hold, can be read while it runs, and is charged when its client reads the end', async () => {
    const { tenant, id, finish, begin, at } = await aLongCall();
    const taken = await begin();
    expect(JSON.parse(taken.text)).toMatchObject({ id, status: 'queued' });
    expect(await site.openHolds(tenant.user.id)).toBe(1);
    expect(JSON.parse((await at('')).text).status).toBe('queued');
    await poll();
    // Its process may have ended long before: the hold is not tied to that process.
    expect(await site.ctx.db('holds').where({ node: site.ctx.node }).pluck('user_id')).toEqual([]);
    await releaseOrphanedHolds(site.ctx);
    expect(await site.openHolds(tenant.user.id)).toBe(1);
    finish();
    expect(JSON.parse((await at('')).text)).toMatchObject({
      status: 'completed',
      model: tenant.model,
    });
    await expectPaid(tenant, taken.requestId);
    await poll();
    await at('');
    await expectPaid(tenant, taken.requestId);
  });

  test('has the cost of its channel', async () => {
    const { tenant, finish, begin } = await aLongCall();
    const operator = site.as({ kind: 'operator' });
    await operator.channel.edit({ id: tenant.channel.id, cost: { factor: 2 } });
    const { requestId } = await begin();
    finish();
    await poll();
    expect(await site.logOf(requestId)).toMatchObject({ quota: UNITS, cost: 2 * UNITS });
  });

  test('is charged by a poll of any process when no client returns for it', async () => {
    const { tenant, finish, begin } = await aLongCall();
    const { requestId } = await begin();
    finish();
    await Promise.all([poll(), poll({ ...site.ctx, node: 'another' })]);
    await expectPaid(tenant, requestId);
  });

  test('opened by a version that stored ratios is charged by them and by the tier of the answer', async () => {
    const { tenant, finish, begin } = await aLongCall();
    const { requestId } = await begin();
    const row = () => site.ctx.db('background_answers').where({ request_id: requestId });
    const facts = JSON.parse((await row().first('facts')).facts);
    facts.price = {
      kind: 'per_token',
      name: tenant.model,
      rule: 'requested',
      model_ratio: 1,
      completion_ratio: 4,
      cache_ratio: 0.5,
      cache_creation_ratio: 1.25,
      audio_ratio: 1,
      audio_completion_ratio: 1,
      tier_ratios: { priority: 2 },
    };
    await row().update({ facts: JSON.stringify(facts) });
    finish({ service_tier: 'priority' });
    await poll();
    // (10 + 5 x 4) x 2
    await tenant.expectCharged(requestId, {
      units: 60,
      source: 'upstream',
      prompt: USAGE.input_tokens,
      completion: USAGE.output_tokens,
    });
  });

  test('is not visible to other users', async () => {
    const { begin, at, state } = await aLongCall();
    await begin();
    const { key } = await site.addToken({ owner: await site.addUser() });
    const requests = state.requests.length;
    for (const call of [at('', 'GET', key), at('/cancel', 'POST', key), at('', 'DELETE', key)])
      expect((await call).status).toBe(404);
    expect(state.requests).toHaveLength(requests);
  });

  test('costs only what was generated before it is cancelled: here nothing', async () => {
    const { tenant, begin, at } = await aLongCall();
    const { requestId } = await begin();
    expect(JSON.parse((await at('/cancel', 'POST')).text).status).toBe('cancelled');
    await tenant.expectNothing(requestId);
  });

  test('is cancelled and charged before it is deleted', async () => {
    const { tenant, begin, at, state } = await aLongCall();
    const { requestId } = await begin();
    state.response = { ...state.response, status: 'in_progress', usage: USAGE };
    expect((await at('', 'DELETE')).status).toBe(200);
    expect(state.requests).toEqual(['POST', 'GET {id}', 'POST {id}/cancel', 'DELETE {id}']);
    await expectPaid(tenant, requestId);
    expect((await at('')).status).toBe(404);
  });

  test.each([
    [
      'fails',
      0,
      (state: { response: object }) => {
        const error = { code: 'server_error', message: 'it burst' };
        state.response = { ...state.response, status: 'failed', error };
      },
      { message: 'it burst' },
      'it burst',
    ],
    [
      'fails without a reason',
      0,
      (state: { response: object }) => {
        state.response = { ...state.response, status: 'failed', error: null };
      },
      { message: '', reason: { event: 'response_failed' } },
      'The response failed, and the upstream gave no reason',
    ],
    [
      'is forgotten by its upstream',
      1,
      (state: { gone: boolean }) => {
        state.gone = true;
      },
      { message: '', reason: { event: 'response_not_kept' } },
      'The upstream no longer knows the background response',
    ],
    [
      'is never finished',
      7,
      () => undefined,
      { message: '', reason: { event: 'response_unfinished', params: { count: 6 } } },
      'The background response did not finish within 6 hours',
    ],
  ])(
    'that %s costs nothing, and the log has the reason',
    async (...[, hours, happens, why, words]) => {
      const { tenant, begin, state } = await aLongCall();
      const { requestId } = await begin();
      happens(state as never); // each changes the fields it names
      await poll(later(hours));
      expect(await tenant.bill()).toEqual(NOTHING);
      const logs = await site.logsOf(requestId);
      expect(logs.map(({ content }) => content)).toEqual([words]);
      const failed = await failedCallOfRequest(site.ctx.reads, requestId);
      expect(failed).toMatchObject({ source: 'upstream', endpoint: 'responses' });
      expect(JSON.parse(failed?.attempts ?? '')).toMatchObject([why]);
    },
  );

  test('is answered immediately by an upstream without background support', async () => {
    const { tenant, finish, begin } = await aLongCall();
    finish({ background: false });
    const { requestId } = await begin();
    await expectPaid(tenant, requestId);
  });
});

test('a stream that its client lost can be resumed from an event, and is charged once before its end', async () => {
  const { tenant, id, begin, state } = await aLongCall();
  const event = (sequence_number: number, type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...more })}\n\n`;
  const running = { ...state.response, status: 'in_progress' };
  const done = { ...running, status: 'completed', usage: USAGE };
  const text = { output_index: 0, content_index: 0, item_id: 'msg_1' };
  const frames = [
    event(0, 'response.created', { response: running }),
    event(1, 'response.output_text.delta', { ...text, delta: 'Half ' }),
    event(2, 'response.output_text.delta', { ...text, delta: 'done' }),
    event(3, 'response.completed', { response: done }),
  ];
  const kept = raw.answer;
  raw.answer = (response, request) => {
    const after = /starting_after=(\d+)/.exec(request.path)?.[1];
    if (request.method === 'GET' && after === undefined) return kept(response, request);
    response.writeHead(200, SSE);
    // The first connection breaks in the middle.
    if (after === undefined)
      return response.write(frames.slice(0, 2).join(''), () => response.destroy());
    return response.end(frames.slice(Number(after) + 1).join(''));
  };
  const { requestId, text: first } = await begin({ stream: true });
  expect(framesIn(first).map(({ type }) => type)).toContain('response.failed');
  expect(await site.openHolds(tenant.user.id)).toBe(1);
  state.response = done;
  const again = await site.call({
    path: `/v1/responses/${id}?stream=true&starting_after=1`,
    method: 'GET',
    key: tenant.token.key,
  });
  expect(framesIn(again.text).map(({ sequence_number }) => sequence_number)).toEqual([2, 3]);
  expect(framesIn(again.text).at(-1)).toMatchObject({ response: { model: tenant.model } });
  await expectPaid(tenant, requestId);
  await poll();
  await expectPaid(tenant, requestId);
  const wrong = { path: `/v1/responses/${id}?stream=true&starting_after=x`, key: tenant.token.key };
  expect((await site.call({ ...wrong, method: 'GET' })).status).toBe(400);
});
