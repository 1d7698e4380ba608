/** What a realtime session may not do: token caps, and hostile clients and upstreams. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { refusalIn } from '../refusal.ts';
import type { Tenant } from '../tenant.ts';
import { open, realtimeTenant, SECOND_OF_SOUND } from './realtime-tenant.ts';

const site = await sharedSite({
  upstreams: 2,
  config: { clientGraceMs: 30 },
  options: { RetryTimes: 2 },
});

describe('token caps in realtime sessions', () => {
  /** The first response reserves the cap and uses some: no second one fits within the minute. */
  const capped = () => realtimeTenant(site, { token: { tokens_per_minute: 40 } });
  const callOf = (tenant: Tenant) =>
    site.call({
      key: tenant.token.key,
      body: { model: tenant.model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
    });

  test('count the usage of a response, and refuse the next one before it begins', async () => {
    const tenant = await capped();
    const session = await open(tenant);
    const done = await session.exchange('Hello');
    expect(done.response.usage.total_tokens).toBeGreaterThan(1);
    session.send({ type: 'response.create', event_id: 'mine' });
    const { error } = await session.next('error');
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'mine' });
    expect(error.message).toContain('this API token may use at most 40 per minute');
    const creations = site.upstream.requests.filter(({ body }) => body.includes('response.create'));
    expect(creations).toHaveLength(1);
    // Other calls can use the remainder: this one needs its prompt of 8 and its limit of 5.
    const left = 40 - done.response.usage.total_tokens - 13;
    expect((await callOf(tenant)).headers['x-ratelimit-remaining-tokens']).toBe(String(left));
    session.socket.close();
    await site.settled(tenant.user.id);
    expect((await tenant.bill()).charges).toHaveLength(2);
  });

  test('have no reservation left after a session without responses', async () => {
    const tenant = await capped();
    const session = await open(tenant);
    await session.next('session.created');
    session.send({ type: 'response.create', response: { unheard_of: 1 } });
    expect((await session.next('error')).error.code).toBe('invalid_value');
    expect((await callOf(tenant)).status).toBe(200);
  });

  test('cancel a response that the upstream starts by itself, and count its cost', async () => {
    const tenant = await capped();
    tenant.script({ hold: 2, text: 'one two three four five' });
    const session = await open(tenant);
    session.sendText('Hello');
    session.send({ type: 'response.create' });
    for (let word = 0; word < 2; word += 1) await session.next('response.output_audio.delta');
    site.upstream.release();
    await session.next('response.done');
    const two = await open(tenant).catch((error: Error) => error);
    expect(String(two)).toContain('429');
    const input = { turn_detection: { type: 'server_vad' } };
    session.send({ type: 'session.update', session: { audio: { input } } });
    session.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    session.send({ type: 'input_audio_buffer.commit' });
    expect((await session.next('error')).error.code).toBe('rate_limit_exceeded');
    const { response } = await session.next('response.done');
    expect(response.status).toBe('cancelled');
    session.socket.close();
    await site.settled(tenant.user.id);
    expect((await tenant.bill()).charges).toHaveLength(2);
  });

  test('of a channel count the usage of its sessions', async () => {
    const setting = JSON.stringify({ tokens_per_minute: 40 });
    const tenant = await realtimeTenant(site, { channel: { setting } });
    const session = await open(tenant);
    await session.exchange('Hello');
    await session.exchange('A channel at its cap keeps its sessions');
    expect(refusalIn(await callOf(tenant))).toMatchObject({
      status: 429,
      code: 'upstream_saturated',
    });
  });
});

describe('hostile realtime peers', () => {
  test('cannot switch to a model with another price', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant, { headers: { 'accept-language': 'zh' } });
    await session.next('session.created');
    const otherModel = { model: 'gpt-realtime-2.1' };
    session.send({ type: 'session.update', event_id: 'mine', session: otherModel });
    expect((await session.next('error')).error).toMatchObject({
      message: expect.stringContaining('字段 session.model 无效：会话开始后不能更换模型'),
      param: 'session.model',
      event_id: 'mine',
    });
    session.socket.send('{"type":"response.create","type":"session.update"}');
    expect((await session.next('error')).error.param).toBe('type');
    session.socket.send('[1]');
    expect((await session.next('error')).error.param).toBe('event');
    expect(site.upstream.requests.filter(({ method }) => method === 'WS')).toEqual([]);
  });

  test('cannot exhaust memory with one message as a client', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.next('session.created');
    session.socket.send(Buffer.alloc(17 * 1024 * 1024, 'x'));
    expect((await session.end()).code).toBe(1009);
    await site.settled(tenant.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    await tenant.expectNothing(session.requestId);
  });

  test('cannot exhaust memory with one message as an upstream', async () => {
    const tenant = await realtimeTenant(site);
    tenant.script({ megabytes: 17 });
    const session = await open(tenant);
    session.send({ type: 'session.update', session: { output_modalities: ['text'] } });
    session.send({ type: 'response.create' });
    expect((await session.next('error')).error.code).toBe('upstream_stream_interrupted');
    expect((await session.end()).code).toBe(1011);
  });
});
