/** Realtime sessions through the gateway: complete ones, their cost, and every way to end. */

import { describe, expect, test } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import * as tokens from '../../../src/services/tokens/tokens.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually, OPERATOR } from '../../support/site.ts';
import { addRow, addTenant } from '../tenant.ts';
import { openSession } from './client-session.ts';
import {
  failureOf,
  open,
  RATIO,
  realtimeTenant,
  SECOND_OF_SOUND,
  unitsOf,
} from './realtime-tenant.ts';

const site = await sharedSite({
  upstreams: 2,
  config: { clientGraceMs: 30 },
  options: { RetryTimes: 2 },
});

describe('a realtime session', () => {
  test('forwards events both ways and charges each response as a separate call', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    expect((await session.next('session.created')).session.model).toBe(tenant.model);
    session.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    session.send({ type: 'input_audio_buffer.commit' });
    await session.next('input_audio_buffer.committed');
    const first = await session.exchange('Hello');
    const second = await session.exchange('And again');
    expect(second.response.usage.input_token_details.cached_tokens).toBeGreaterThan(0);
    expect(second.response.usage.output_token_details.audio_tokens).toBeGreaterThan(0);
    session.socket.close(1000);
    await session.end();
    await site.settled(tenant.user.id);

    const [a, b] = [unitsOf(first), unitsOf(second)];
    const bill = await tenant.bill();
    expect(bill.charges.map(({ key, user }) => [key, user])).toEqual([
      [`call:${session.requestId}`, -a],
      [`call:${session.requestId}-2`, -b],
    ]);
    expect(bill.spent).toEqual({ user: a + b, token: a + b, channel: a + b });
    const log = await site.logOf(`${session.requestId}-2`);
    const { input_tokens, output_tokens } = second.response.usage;
    expect(log).toMatchObject({
      quota: b,
      usage_source: 'upstream',
      prompt_tokens: input_tokens,
      completion_tokens: output_tokens,
      model_name: tenant.model,
    });
    expect(JSON.parse(log?.other ?? '{}')).toMatchObject({
      endpoint: 'realtime',
      ending: 'answered',
      audio_ratio: RATIO.audio,
    });
  });

  test('charges a response before the client receives its end', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.exchange('Hello');
    expect((await tenant.site.chargesOf(tenant.user.id)).length).toBe(1);
  });

  test('uses the mapped model name upstream and the requested name for the client', async () => {
    const tenant = await realtimeTenant(site, { upstreamModel: 'gpt-realtime-2.1' });
    const session = await open(tenant);
    expect((await session.next('session.created')).session.model).toBe(tenant.model);
    session.send({
      type: 'session.update',
      session: { model: tenant.model, instructions: 'Sing.' },
    });
    expect((await session.next('session.updated')).session).toMatchObject({
      model: tenant.model,
      instructions: 'Sing.',
    });
    const [dialled, update] = site.upstream.requests;
    expect(dialled?.path).toBe('/v1/realtime?model=gpt-realtime-2.1');
    expect(JSON.parse(update?.body ?? '').session.model).toBe('gpt-realtime-2.1');
  });

  test('charges transcribed input at the price of the transcription model', async () => {
    const tenant = await realtimeTenant(site);
    await addRow(site, 'ModelRatio', 'writes-down', 3);
    await addRow(site, 'CompletionRatio', 'writes-down', 2);
    await addRow(site, 'AudioRatio', 'writes-down', 5);
    const session = await open(tenant);
    const transcription = { model: 'writes-down' };
    session.send({ type: 'session.update', session: { audio: { input: { transcription } } } });
    session.send({ type: 'input_audio_buffer.append', audio: SECOND_OF_SOUND });
    session.send({ type: 'input_audio_buffer.commit' });
    const answer = await session.next('conversation.item.input_audio_transcription.completed');
    expect(answer.usage).toMatchObject({ input_tokens: 10, output_tokens: 2 });
    session.socket.close();
    await site.settled(tenant.user.id);
    const [charge] = (await tenant.bill()).charges;
    expect(charge).toMatchObject({
      key: `call:${session.requestId}-t1`,
      user: -(10 * 5 + 2 * 2) * 3,
    });
    expect(await site.logOf(`${session.requestId}-t1`)).toMatchObject({
      model_name: 'writes-down',
    });
  });

  test('counts tokens if the upstream reports no usage', async () => {
    const tenant = await realtimeTenant(site);
    tenant.script({ usage: 'none', text: 'one two three four' });
    const session = await open(tenant);
    const done = await session.exchange('Hello');
    expect(done.response.usage).toBeNull();
    session.socket.close();
    await site.settled(tenant.user.id);
    const log = await site.logOf(session.requestId);
    // Four words in four events of 50 ms, one token each; the text is counted by its bytes.
    expect(log?.usage_source).toBe('estimated');
    expect(JSON.parse(log?.other ?? '{}').usage).toMatchObject({ input: 2, audioOutput: 4 });
  });

  test('uses the beta protocol upstream when the client does', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant, {
      key: '',
      protocols: [
        'realtime',
        `openai-insecure-api-key.${tenant.token.key}`,
        'openai-beta.realtime-v1',
      ],
    });
    expect(session.socket.protocol).toBe('realtime');
    await session.exchange('Hello');
    expect(session.events.map(({ type }) => type)).toContain('response.audio.delta');
    expect(site.upstream.requests[0]?.headers['openai-beta']).toBe('realtime=v1');
    expect(JSON.stringify(site.upstream.requests[0]?.headers)).not.toContain(tenant.token.key);
  });

  test.each([
    ['2024-10-01-preview', '/openai/realtime?api-version=2024-10-01-preview&deployment='],
    ['v1', '/openai/v1/realtime?model='],
  ])('connects to Azure %s at its own realtime path', async (other, path) => {
    const tenant = await realtimeTenant(site, { channel: { type: 3, other } });
    const session = await open(tenant);
    await session.exchange('Hello');
    expect(site.upstream.requests[0]?.path).toBe(path + tenant.model);
    expect(site.upstream.requests[0]?.headers['api-key']).toBeDefined();
  });
});

describe('a realtime session ends', () => {
  test('when the client leaves: the running response is cancelled and its cost charged', async () => {
    const tenant = await realtimeTenant(site);
    tenant.script({ hold: 3, text: 'one two three four five' });
    const session = await open(tenant);
    session.sendText('Hello');
    session.send({ type: 'response.create' });
    for (let word = 0; word < 3; word += 1) await session.next('response.output_audio.delta');
    session.socket.terminate();
    await site.settled(tenant.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    const last = site.upstream.requests.at(-1);
    expect(JSON.parse(last?.body ?? '').type).toBe('response.cancel');
    const log = await site.logOf(session.requestId);
    expect(log).toMatchObject({ usage_source: 'upstream' });
    expect(JSON.parse(log?.other ?? '{}').usage).toMatchObject({ output: 3, audioOutput: 3 });
  });

  test('when the client leaves before any response: nothing is charged', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.next('session.created');
    expect(await site.openHolds(tenant.user.id)).toBe(1);
    session.socket.close();
    await site.settled(tenant.user.id);
    await site.upstream.until(({ openCalls }) => openCalls === 0);
    await tenant.expectNothing(session.requestId);
  });

  test.each(['drop', 'reset'] as const)(
    'when the upstream breaks (%s): the client gets an error, and pays for what was delivered',
    async (ending) => {
      const tenant = await realtimeTenant(site);
      tenant.script({ fault: { ending, after: 2 }, text: 'one two three four' });
      const session = await open(tenant);
      session.sendText('Hello');
      session.send({ type: 'response.create' });
      const { error } = await session.next('error');
      expect(error.code).toBe('upstream_stream_interrupted');
      expect((await session.end()).code).toBe(1011);
      await site.settled(tenant.user.id);
      const log = await site.logOf(session.requestId);
      expect(log?.usage_source).toBe('estimated');
      const facts = JSON.parse(log?.other ?? '{}');
      expect(facts.ending).toBe('upstream_broke');
      expect(facts.usage.audioOutput).toBe(2);
    },
  );

  test("with the upstream's close code and reason", async () => {
    const tenant = await realtimeTenant(site);
    tenant.script({ fault: { ending: 'end', after: 0 } });
    const session = await open(tenant);
    session.send({ type: 'response.create' });
    expect(await session.end()).toEqual({ code: 1011, reason: 'broken as planned' });
    await site.settled(tenant.user.id);
    await tenant.expectNothing(session.requestId);
  });

  test('when the quota is used up: the response is charged, and the client gets the reason', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.next('session.created');
    const { id } = tenant.user;
    const left = Math.floor((await site.balance(id)).held / 2);
    await site.as(OPERATOR).user.setQuota({ id, mode: 'set', units: left });
    const done = await session.exchange('Hello');
    const { error } = await session.next('error');
    expect(error.code).toBe('insufficient_user_quota');
    expect((await session.end()).code).toBe(1008);
    await site.settled(tenant.user.id);
    expect((await site.balance(id)).quota).toBe(left - unitsOf(done));
    // The second response of the session cannot be paid.
    expect(await failureOf(site, `${session.requestId}-2`)).toMatchObject({
      code: 'quota_short',
      status: 402,
    });
  });

  test('before any response content: its failure is recorded', async () => {
    const tenant = await realtimeTenant(site);
    tenant.script({ fault: { ending: 'drop', after: 0 } });
    const session = await open(tenant);
    session.sendText('Hello');
    session.send({ type: 'response.create' });
    await session.end();
    expect(await failureOf(site, session.requestId)).toMatchObject({
      code: 'upstream_broke_off',
      user_id: tenant.user.id,
      endpoint: 'realtime',
    });
    await site.settled(tenant.user.id);
    await tenant.expectNothing(session.requestId);
  });

  test('immediately when its token is disabled', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.exchange('Hello');
    await tokens.setStatus(
      site.ctx,
      tenant.user.actor,
      { id: tenant.token.id, status: 2 },
      terminalVisit(),
    );
    const { error } = await session.next('error');
    expect(error.code).toBe('invalid_api_key');
    expect((await session.end()).code).toBe(1008);
  });

  test('immediately when its user is banned', async () => {
    const tenant = await realtimeTenant(site);
    const session = await open(tenant);
    await session.next('session.created');
    await site.as(OPERATOR).user.manage({ id: tenant.user.id, action: 'disable' });
    expect((await session.next('error')).error.code).toBe('user_banned');
    expect((await session.end()).code).toBe(1008);
  });
});

test('an idle realtime session is closed', async () => {
  const short = await aSite({ config: { realtimeIdleTimeoutMs: 0.1 } });
  const tenant = await addTenant(short);
  const session = await openSession(short, { model: tenant.model, key: tenant.token.key });
  expect((await session.next('error')).error.code).toBe('session_idle');
  expect((await session.end()).code).toBe(1008);
  await eventually('the hold is gone', async () => (await short.openHolds()) === 0);
  await short.close();
});

test('a shutdown lets a response end, and then the session', async () => {
  const closing = await aSite();
  const tenant = await addTenant(closing);
  tenant.script({ hold: 2 });
  const [busy, quiet] = [
    await openSession(closing, { model: tenant.model, key: tenant.token.key }),
    await openSession(closing, { model: tenant.model, key: tenant.token.key }),
  ];
  busy.sendText('Hello');
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
