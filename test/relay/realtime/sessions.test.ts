/** Realtime sessions through the gateway: complete ones, their cost, and every way to end. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as tokens from '../../../src/services/tokens/tokens.ts';
import { failedCallOfRequest } from '../../../src/store/logs/failed-calls.ts';
import { aSite, eventually, OPERATOR, type Site } from '../../support/site.ts';
import { addRow, aLane, type Lane, type LaneOptions, spareChannel } from '../lane.ts';
import { refusalIn } from '../refusal.ts';
import { refused, type Talk, type TalkEvent, type TalkOptions, talk } from './talk.ts';

const recorded = (requestId: string) =>
  eventually('the failure is recorded', () => failedCallOfRequest(site.ctx.reads, requestId));

/** Like a lane's price, with audio and audio output added. */
const RATIO = { model: 1.375, completion: 3.2, cache: 0.45, audio: 7.5, audioCompletion: 1.9 };

let site: Site;
beforeAll(async () => {
  site = await aSite({
    upstreams: 2,
    config: { clientGraceMs: 30 },
    options: { RetryTimes: 2 },
  });
});
afterAll(() => site.close());

async function realtimeLane(options: LaneOptions = {}): Promise<Lane> {
  const lane = await aLane(site, options);
  await addRow(site, 'AudioRatio', lane.model, RATIO.audio);
  await addRow(site, 'AudioCompletionRatio', lane.model, RATIO.audioCompletion);
  return lane;
}

function open(lane: Lane, options: TalkOptions = {}): Promise<Talk> {
  return talk(lane.site, { model: lane.model, key: lane.token.key, ...options });
}

/** The charge for the usage of `response.done`, in whole units. */
function unitsOf(done: TalkEvent): number {
  const { input_token_details: input, output_token_details: output } = done.response.usage;
  const cached = input.cached_tokens_details;
  const weight =
    (input.text_tokens - cached.text_tokens) * 1 +
    (input.audio_tokens - cached.audio_tokens) * RATIO.audio +
    input.cached_tokens * RATIO.cache +
    output.text_tokens * RATIO.completion +
    output.audio_tokens * RATIO.audio * RATIO.audioCompletion;
  return Math.max(1, Math.round(weight * RATIO.model));
}

const SECOND_OF_SOUND = Buffer.alloc(48_000).toString('base64');

describe('a realtime session', () => {
  test('forwards events both ways and charges each response as a separate call', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    expect((await one.next('session.created')).session.model).toBe(lane.model);
    one.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    one.send({ type: 'input_audio_buffer.commit' });
    await one.next('input_audio_buffer.committed');
    const first = await one.ask('Hello');
    const second = await one.ask('And again');
    expect(second.response.usage.input_token_details.cached_tokens).toBeGreaterThan(0);
    expect(second.response.usage.output_token_details.audio_tokens).toBeGreaterThan(0);
    one.socket.close(1000);
    await one.end();
    await site.settled(lane.user.id);

    const [a, b] = [unitsOf(first), unitsOf(second)];
    const bill = await lane.bill();
    expect(bill.charges.map(({ key, user }) => [key, user])).toEqual([
      [`call:${one.requestId}`, -a],
      [`call:${one.requestId}-2`, -b],
    ]);
    expect(bill.spent).toEqual({ user: a + b, token: a + b, channel: a + b });
    expect(bill.booksAgree).toBe(true);
    const log = await site.logOf(`${one.requestId}-2`);
    const { input_tokens, output_tokens } = second.response.usage;
    expect(log).toMatchObject({
      quota: b,
      usage_source: 'upstream',
      prompt_tokens: input_tokens,
      completion_tokens: output_tokens,
      model_name: lane.model,
    });
    expect(JSON.parse(log?.other ?? '{}')).toMatchObject({
      endpoint: 'realtime',
      ending: 'answered',
      audio_ratio: RATIO.audio,
    });
  });

  test('charges a response before the client receives its end', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.ask('Hello');
    expect((await lane.site.chargesOf(lane.user.id)).length).toBe(1);
    one.socket.close();
    await site.settled(lane.user.id);
  });

  test('uses the mapped model name upstream and the requested name for the client', async () => {
    const lane = await realtimeLane();
    await site.as(OPERATOR).channel.edit({
      id: lane.channel.id,
      model_mapping: JSON.stringify({ [lane.model]: 'gpt-realtime-2.1' }),
    });
    const one = await open(lane);
    expect((await one.next('session.created')).session.model).toBe(lane.model);
    one.send({ type: 'session.update', session: { model: lane.model, instructions: 'Sing.' } });
    expect((await one.next('session.updated')).session).toMatchObject({
      model: lane.model,
      instructions: 'Sing.',
    });
    const [dialled, update] = site.upstream.requests;
    expect(dialled?.path).toBe('/v1/realtime?model=gpt-realtime-2.1');
    expect(JSON.parse(update?.body ?? '').session.model).toBe('gpt-realtime-2.1');
    one.socket.close();
    await site.settled(lane.user.id);
  });

  test('charges transcribed input at the price of the transcription model', async () => {
    const lane = await realtimeLane();
    await addRow(site, 'ModelRatio', 'writes-down', 3);
    await addRow(site, 'CompletionRatio', 'writes-down', 2);
    await addRow(site, 'AudioRatio', 'writes-down', 5);
    const one = await open(lane);
    const transcription = { model: 'writes-down' };
    one.send({ type: 'session.update', session: { audio: { input: { transcription } } } });
    one.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    one.send({ type: 'input_audio_buffer.commit' });
    const told = await one.next('conversation.item.input_audio_transcription.completed');
    expect(told.usage).toMatchObject({ input_tokens: 10, output_tokens: 2 });
    one.socket.close();
    await site.settled(lane.user.id);
    const [charge] = (await lane.bill()).charges;
    expect(charge).toMatchObject({ key: `call:${one.requestId}-t1`, user: -(10 * 5 + 2 * 2) * 3 });
    expect(await site.logOf(`${one.requestId}-t1`)).toMatchObject({ model_name: 'writes-down' });
  });

  test('counts tokens if the upstream reports no usage', async () => {
    const lane = await realtimeLane();
    lane.script({ usage: 'none', text: 'one two three four' });
    const one = await open(lane);
    const done = await one.ask('Hello');
    expect(done.response.usage).toBeNull();
    one.socket.close();
    await site.settled(lane.user.id);
    const log = await site.logOf(one.requestId);
    // Four words in four events of 50 ms, one token each; the text is counted by its bytes.
    expect(log?.usage_source).toBe('estimated');
    expect(JSON.parse(log?.other ?? '{}').usage).toMatchObject({ input: 2, audioOutput: 4 });
  });

  test('uses the beta protocol upstream when the client does', async () => {
    const lane = await realtimeLane();
    const one = await open(lane, {
      key: '',
      protocols: [
        'realtime',
        `openai-insecure-api-key.${lane.token.key}`,
        'openai-beta.realtime-v1',
      ],
    });
    expect(one.socket.protocol).toBe('realtime');
    await one.ask('Hello');
    expect(one.events.map(({ type }) => type)).toContain('response.audio.delta');
    expect(site.upstream.requests[0]?.headers['openai-beta']).toBe('realtime=v1');
    expect(JSON.stringify(site.upstream.requests[0]?.headers)).not.toContain(lane.token.key);
    one.socket.close();
    await site.settled(lane.user.id);
  });

  test.each([
    ['2024-10-01-preview', '/openai/realtime?api-version=2024-10-01-preview&deployment='],
    ['v1', '/openai/v1/realtime?model='],
  ])('connects to Azure %s at its own realtime path', async (other, path) => {
    const lane = await realtimeLane({ channel: { type: 3, other } });
    const one = await open(lane);
    await one.ask('Hello');
    expect(site.upstream.requests[0]?.path).toBe(path + lane.model);
    expect(site.upstream.requests[0]?.headers['api-key']).toBeDefined();
    one.socket.close();
    await site.settled(lane.user.id);
  });
});

describe('before the WebSocket upgrade', () => {
  test('another channel is tried when the first refuses, disconnects or sends an error', async () => {
    for (const plan of ['status:503', 'drop:head', 'refuse-in-band']) {
      const lane = await realtimeLane();
      await spareChannel(lane, site.upstreams[1] ?? site.upstream);
      lane.script(
        plan === 'refuse-in-band'
          ? { refuse: { status: 500, style: 'inband', code: 'server_error' } }
          : plan === 'drop:head'
            ? { fault: { ending: 'drop', after: 'head' } }
            : plan,
      );
      const one = await open(lane);
      await one.ask('Hello');
      expect(site.upstreams[1]?.stats.byEndpoint.realtime).toBe(1);
      one.socket.close();
      await site.settled(lane.user.id);
      const log = await site.logOf(one.requestId);
      expect(JSON.parse(log?.other ?? '{}').admin_info.use_channel).toHaveLength(2);
    }
  });

  test('a refusal has its HTTP status and costs nothing', async () => {
    const lane = await realtimeLane();
    const asked = { model: lane.model, key: lane.token.key };
    expect(refusalIn(await refused(site, { ...asked, model: '' }))).toMatchObject({
      status: 400,
      param: 'model',
    });
    expect(refusalIn(await refused(site, { ...asked, model: 'nobody-has-it' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(refusalIn(await refused(site, { ...asked, key: 'sk-wrong' })).status).toBe(401);
    lane.script('status:400');
    expect(refusalIn(await refused(site, asked)).status).toBe(400);
    await lane.expectNothing();
  });

  test('an account without quota is refused', async () => {
    const lane = await realtimeLane({ quota: 0 });
    const asked = { model: lane.model, key: lane.token.key };
    const refusal = refusalIn(await refused(site, asked));
    expect(refusal).toMatchObject({ status: 403, code: 'insufficient_user_quota' });
    expect(site.upstream.stats.calls).toBe(0);
  });

  test('a request without an upgrade is refused with a hint', async () => {
    const answer = await site.call({ path: '/v1/realtime?model=x' });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([426, 'upgrade_required']);
  });

  test('unknown subprotocols are ignored', async () => {
    const { default: net } = await import('node:net');
    const { port } = new URL(site.url);
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] });
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: gateway',
      `authorization: Bearer ${site.token.key}`,
      'connection: Upgrade, HTTP2-Settings, close',
      'upgrade: h2c',
      `content-length: ${body.length}`,
    ].join('\r\n');
    for (const cut of [0, 20]) {
      const socket = net.connect(Number(port), '127.0.0.1');
      socket.write(`${head}\r\n\r\n${body.slice(0, body.length - cut)}`);
      setImmediate(() => socket.write(body.slice(body.length - cut)));
      let text = '';
      for await (const part of socket) text += String(part);
      expect(text).toMatch(/^HTTP\/1\.1 200 /);
      expect(text).toContain('"chat.completion"');
    }
  });
});

describe('a realtime session ends', () => {
  test('when the client leaves: the running response is cancelled and its cost charged', async () => {
    const lane = await realtimeLane();
    lane.script({ hold: 3, text: 'one two three four five' });
    const one = await open(lane);
    one.say('Hello');
    one.send({ type: 'response.create' });
    for (let word = 0; word < 3; word += 1) await one.next('response.output_audio.delta');
    one.socket.terminate();
    await site.settled(lane.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    const last = site.upstream.requests.at(-1);
    expect(JSON.parse(last?.body ?? '').type).toBe('response.cancel');
    const log = await site.logOf(one.requestId);
    expect(log).toMatchObject({ usage_source: 'upstream' });
    expect(JSON.parse(log?.other ?? '{}').usage).toMatchObject({ output: 3, audioOutput: 3 });
  });

  test('when the client leaves before any response: nothing is charged', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.next('session.created');
    expect(await site.openHolds(lane.user.id)).toBe(1);
    one.socket.close();
    await site.settled(lane.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    await lane.expectNothing(one.requestId);
  });

  test.each(['drop', 'reset'] as const)(
    'when the upstream breaks (%s): the client gets an error, and pays for what was delivered',
    async (ending) => {
      const lane = await realtimeLane();
      lane.script({ fault: { ending, after: 2 }, text: 'one two three four' });
      const one = await open(lane);
      one.say('Hello');
      one.send({ type: 'response.create' });
      const { error } = await one.next('error');
      expect(error.code).toBe('upstream_stream_interrupted');
      expect((await one.end()).code).toBe(1011);
      await site.settled(lane.user.id);
      const log = await site.logOf(one.requestId);
      expect(log?.usage_source).toBe('estimated');
      const facts = JSON.parse(log?.other ?? '{}');
      expect(facts.ending).toBe('upstream_broke');
      expect(facts.usage.audioOutput).toBe(2);
    },
  );

  test("with the upstream's close code and reason", async () => {
    const lane = await realtimeLane();
    lane.script({ fault: { ending: 'end', after: 0 } });
    const one = await open(lane);
    one.send({ type: 'response.create' });
    expect(await one.end()).toEqual({ code: 1011, reason: 'broken as planned' });
    await site.settled(lane.user.id);
    await lane.expectNothing(one.requestId);
  });

  test('when the quota is used up: the response is charged, and the client gets the reason', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.next('session.created');
    const { id } = lane.user;
    const left = Math.floor((await site.balance(id)).held / 2);
    await site.as(OPERATOR).user.setQuota({ id, mode: 'set', units: left });
    const done = await one.ask('Hello');
    const { error } = await one.next('error');
    expect(error.code).toBe('insufficient_user_quota');
    expect((await one.end()).code).toBe(1008);
    await site.settled(lane.user.id);
    expect((await site.balance(id)).quota).toBe(left - unitsOf(done));
    // The second response of the session cannot be paid.
    expect(await recorded(`${one.requestId}-2`)).toMatchObject({
      code: 'quota_short',
      status: 403,
    });
  });

  test('before any response content: its failure is recorded', async () => {
    const lane = await realtimeLane();
    lane.script({ fault: { ending: 'drop', after: 0 } });
    const one = await open(lane);
    one.say('Hello');
    one.send({ type: 'response.create' });
    await one.end();
    expect(await recorded(one.requestId)).toMatchObject({
      code: 'upstream_broke_off',
      user_id: lane.user.id,
      endpoint: 'realtime',
    });
    await site.settled(lane.user.id);
    await lane.expectNothing(one.requestId);
  });

  test('immediately when its token is disabled', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.ask('Hello');
    await tokens.setStatus(site.ctx, lane.user.actor, { id: lane.token.id, status: 2 });
    const { error } = await one.next('error');
    expect(error.code).toBe('invalid_api_key');
    expect((await one.end()).code).toBe(1008);
    await site.settled(lane.user.id);
  });

  test('immediately when its user is banned', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.next('session.created');
    await site.as(OPERATOR).user.manage({ id: lane.user.id, action: 'disable' });
    expect((await one.next('error')).error.code).toBe('user_banned');
    expect((await one.end()).code).toBe(1008);
    await site.settled(lane.user.id);
  });
});

describe('token caps in realtime sessions', () => {
  /** The first response reserves the cap and uses some: no second one fits within the minute. */
  const capped = () => realtimeLane({ token: { tokens_per_minute: 40 } });
  const callOf = (lane: Lane) =>
    site.call({
      key: lane.token.key,
      body: { model: lane.model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] },
    });

  test('count the usage of a response, and refuse the next one before it begins', async () => {
    const lane = await capped();
    const one = await open(lane);
    const done = await one.ask('Hello');
    expect(done.response.usage.total_tokens).toBeGreaterThan(1);
    one.send({ type: 'response.create', event_id: 'mine' });
    const { error } = await one.next('error');
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', event_id: 'mine' });
    expect(error.message).toContain('this API token may use at most 40 per minute');
    const creations = site.upstream.requests.filter(({ body }) => body.includes('response.create'));
    expect(creations).toHaveLength(1);
    // Other calls can use the remainder: this one needs its prompt of 8 and its limit of 5.
    const left = 40 - done.response.usage.total_tokens - 13;
    expect((await callOf(lane)).headers['x-ratelimit-remaining-tokens']).toBe(String(left));
    one.socket.close();
    await site.settled(lane.user.id);
    expect((await lane.bill()).charges).toHaveLength(2);
  });

  test('have no reservation left after a session without responses', async () => {
    const lane = await capped();
    const one = await open(lane);
    await one.next('session.created');
    one.send({ type: 'response.create', response: { unheard_of: 1 } });
    expect((await one.next('error')).error.code).toBe('invalid_value');
    expect((await callOf(lane)).status).toBe(200);
    one.socket.close();
    await site.settled(lane.user.id);
  });

  test('cancel a response that the upstream starts by itself, and count its cost', async () => {
    const lane = await capped();
    lane.script({ hold: 2, text: 'one two three four five' });
    const one = await open(lane);
    one.say('Hello');
    one.send({ type: 'response.create' });
    for (let word = 0; word < 2; word += 1) await one.next('response.output_audio.delta');
    site.upstream.release();
    await one.next('response.done');
    const two = await open(lane).catch((error: Error) => error);
    expect(String(two)).toContain('429');
    const input = { turn_detection: { type: 'server_vad' } };
    one.send({ type: 'session.update', session: { audio: { input } } });
    one.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    one.send({ type: 'input_audio_buffer.commit' });
    expect((await one.next('error')).error.code).toBe('rate_limit_exceeded');
    const { response } = await one.next('response.done');
    expect(response.status).toBe('cancelled');
    one.socket.close();
    await site.settled(lane.user.id);
    expect((await lane.bill()).charges).toHaveLength(2);
  });

  test('of a channel count the usage of its sessions', async () => {
    const setting = JSON.stringify({ tokens_per_minute: 40 });
    const lane = await realtimeLane({ channel: { setting } });
    const one = await open(lane);
    await one.ask('Hello');
    await one.ask('A channel at its cap keeps its sessions');
    expect(refusalIn(await callOf(lane))).toMatchObject({
      status: 429,
      code: 'upstream_saturated',
    });
    one.socket.close();
    await site.settled(lane.user.id);
  });
});

describe('hostile realtime peers', () => {
  test('cannot switch to a model with another price', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.next('session.created');
    const session = { model: 'gpt-realtime-2.1' };
    one.send({ type: 'session.update', event_id: 'mine', session });
    expect((await one.next('error')).error).toMatchObject({
      param: 'session.model',
      event_id: 'mine',
    });
    one.socket.send('{"type":"response.create","type":"session.update"}');
    expect((await one.next('error')).error.param).toBe('type');
    one.socket.send('[1]');
    expect((await one.next('error')).error.param).toBe('event');
    expect(site.upstream.requests.filter(({ method }) => method === 'WS')).toEqual([]);
    one.socket.close();
    await site.settled(lane.user.id);
  });

  test('cannot exhaust memory with one message as a client', async () => {
    const lane = await realtimeLane();
    const one = await open(lane);
    await one.next('session.created');
    one.socket.send(Buffer.alloc(17 * 1024 * 1024, 'x'));
    expect((await one.end()).code).toBe(1009);
    await site.settled(lane.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    await lane.expectNothing(one.requestId);
  });

  test('cannot exhaust memory with one message as an upstream', async () => {
    const lane = await realtimeLane();
    lane.script({ megabytes: 17 });
    const one = await open(lane);
    one.send({ type: 'session.update', session: { output_modalities: ['text'] } });
    one.send({ type: 'response.create' });
    expect((await one.next('error')).error.code).toBe('upstream_stream_interrupted');
    expect((await one.end()).code).toBe(1011);
    await site.settled(lane.user.id);
  });
});

describe('a browser in a realtime session', () => {
  async function secretFor(lane: Lane, body: object) {
    const path = '/v1/realtime/client_secrets';
    return site.call({ path, key: lane.token.key, body });
  }

  test('gets a client secret that opens sessions with its settings and nothing else', async () => {
    const lane = await realtimeLane();
    const session = { type: 'realtime', model: lane.model, instructions: 'Sing.' };
    const answer = await secretFor(lane, { session, expires_after: { seconds: 60 } });
    const secret = JSON.parse(answer.text);
    expect(answer.status).toBe(200);
    expect(secret.session).toMatchObject(session);
    expect(secret.value).toMatch(/^ek_[\w-]+$/);
    expect(secret.value).not.toContain(lane.token.key);
    expect(secret.expires_at - Math.floor(Date.now() / 1000)).toBeLessThanOrEqual(60);
    const protocols = ['realtime', `openai-insecure-api-key.${secret.value}`];
    const one = await talk(site, { model: '', key: '', protocols });
    expect((await one.next('session.updated')).session.instructions).toBe('Sing.');
    await one.ask('Hello');
    one.socket.close();
    await site.settled(lane.user.id);
    expect((await lane.bill()).charges).toHaveLength(1);

    const body = { model: lane.model, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await site.call({ key: secret.value, body })).status).toBe(401);
    const other = await refused(site, { model: 'gpt-4o', key: secret.value });
    expect(refusalIn(other)).toMatchObject({ status: 403, param: 'model' });
    const forged = await refused(site, { model: '', key: `${secret.value.slice(0, -4)}AAAA` });
    expect(refusalIn(forged).status).toBe(401);
  });

  test('gets a validation error for invalid session settings', async () => {
    const lane = await realtimeLane();
    const wrong = async (body: object) =>
      JSON.parse((await secretFor(lane, body)).text).error.param;
    expect(await wrong({})).toBe('session.model');
    const session = { model: lane.model };
    expect(await wrong({ session, expires_after: { seconds: 5 } })).toBe('expires_after.seconds');
    const long = { ...session, instructions: 'x'.repeat(8_000) };
    expect(await wrong({ session: long })).toBe('session');
  });

  test('may use the beta protocol', async () => {
    const lane = await realtimeLane();
    const path = '/v1/realtime/sessions';
    const answer = await site.call({ path, key: lane.token.key, body: { model: lane.model } });
    const { client_secret, model } = JSON.parse(answer.text);
    expect(model).toBe(lane.model);
    const one = await talk(site, { model: lane.model, key: client_secret.value });
    await one.ask('Hello');
    one.socket.close();
    await site.settled(lane.user.id);
  });
});

test('an idle realtime session is closed', async () => {
  const short = await aSite({ config: { realtimeIdleTimeoutMs: 0.1 } });
  const lane = await aLane(short);
  const one = await talk(short, { model: lane.model, key: lane.token.key });
  expect((await one.next('error')).error.code).toBe('session_idle');
  expect((await one.end()).code).toBe(1008);
  await eventually('the hold is gone', async () => (await short.openHolds()) === 0);
  await short.close();
});

test('a shutdown lets a response end, and then the session', async () => {
  const closing = await aSite();
  const lane = await aLane(closing);
  lane.script({ hold: 2 });
  const [busy, quiet] = [
    await talk(closing, { model: lane.model, key: lane.token.key }),
    await talk(closing, { model: lane.model, key: lane.token.key }),
  ];
  busy.say('Hello');
  busy.send({ type: 'response.create' });
  await busy.next('response.output_audio.delta');
  const stopping = closing.serving.stop();
  expect((await quiet.end()).code).toBe(1001);
  closing.upstream.release();
  await busy.next('response.done');
  expect((await busy.end()).code).toBe(1001);
  await stopping;
  await closing.close();
});
