/** Refused submissions: the client's error, and that nothing is charged. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/site.ts';
import { whole } from '../raw-upstream.ts';
import {
  answered,
  brokenOff,
  type FakeTaskUpstream,
  fakeTaskUpstream,
  silence,
  TASK_KEY,
} from './fake-task-upstream.ts';
import { createTaskSite, IMAGINE_UNITS } from './task-site.ts';

const taskSite = await createTaskSite({ config: { relayTimeoutMs: 1 } });

/** New for every test, because repeated failures open a channel's circuit breaker. */
let channelId = 0;
beforeEach(async () => {
  channelId = (await taskSite.addDrawingChannel(taskSite.upstream, { priority: 2 })).id;
});
afterEach(() => taskSite.site.as({ kind: 'operator' }).channel.remove({ id: channelId }));

const DRAWING = { prompt: 'x' };
const imagine = () => taskSite.post('/mj/submit/imagine', DRAWING);

/** Balances before and after are equal, nothing is held, and the ledger agrees. */
async function costsNothing<T>(work: () => Promise<T>): Promise<T> {
  const { site } = taskSite;
  const before = await site.balance(site.user.id);
  const answer = await work();
  expect(await site.balance(site.user.id)).toEqual(before);
  expect(await site.openHolds()).toBe(0);
  expect((await site.verify()).ok).toBe(true);
  return answer;
}

async function newestDrawing() {
  return taskSite.site.ctx.db('midjourneys').orderBy('id', 'desc').first();
}

describe('a task submission is refused before the upstream is called', () => {
  it.each([
    ['/mj/submit/imagine', {}, 'prompt'],
    ['/mj/submit/imagine', { prompt: ['x'] }, 'prompt'],
    ['/mj/submit/blend', {}, 'base64Array'],
    ['/mj/submit/change', { action: 'UPSCALE', index: 1 }, 'taskId'],
    ['/mj/submit/change', { taskId: 'a', action: 'PAINT' }, 'action'],
    ['/mj/submit/change', { taskId: 'a', action: 'UPSCALE', index: 5 }, 'index'],
    ['/mj/submit/simple-change', { content: 'a U5' }, 'content'],
    ['/mj/submit/action', { taskId: 'a', customId: 'MJ::JOB::format::1' }, 'customId'],
    ['/mj/submit/modal', { prompt: 'x' }, 'taskId'],
    ['/mj/insight-face/swap', { sourceBase64: 'a' }, 'targetBase64'],
    ['/mj/task/list-by-condition', {}, 'ids'],
  ])('for %s with %o, naming %s', async (path, body, field) => {
    const requestCount = taskSite.upstream.paths().length;
    const { status, json } = await costsNothing(() => taskSite.post(path, body));
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 4, type: 'upstream_error' });
    expect(json.description).toContain(field);
    expect(taskSite.upstream.paths()).toHaveLength(requestCount);
  });

  it('when the balance does not cover it', async () => {
    const { site } = taskSite;
    const poor = await site.addUser({ quota: IMAGINE_UNITS - 1 });
    const token = await site.addToken({ owner: poor });
    const { status, json } = await taskSite.post('/mj/submit/imagine', DRAWING, token);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 4,
      description: expect.stringMatching(/^quota_not_enough/),
    });
    const few = await site.addToken({ remain_quota: IMAGINE_UNITS - 1 });
    const short = await taskSite.post('/mj/submit/imagine', DRAWING, few);
    expect(short).toMatchObject({ status: 400, json: { error: 'pre_consume_token_quota_failed' } });
    expect(await site.openHolds()).toBe(0);
  });

  it('when the token, the model, the sensitive words or the rate limit forbid it', async () => {
    const { site } = taskSite;
    const none = await site.call({ path: '/mj/submit/imagine', body: DRAWING, key: 'sk-none' });
    expect([none.status, JSON.parse(none.text).type]).toEqual([401, 'upstream_error']);
    const bound = await site.addToken({ model_limits_enabled: true, model_limits: 'mj_blend' });
    expect((await taskSite.post('/mj/submit/imagine', DRAWING, bound)).status).toBe(403);
    await site.option('SensitiveWords', 'forbidden');
    const { json } = await taskSite.post('/mj/submit/imagine', { prompt: 'a forbidden thing' });
    expect(json).toMatchObject({ code: 4, error: 'sensitive_words_detected' });
    const rate = { rate_limit_enabled: true, rate_limit_count: 1, rate_limit_period: 3600 };
    const slow = await site.addToken(rate);
    expect((await taskSite.post('/mj/submit/imagine', DRAWING, slow)).status).toBe(200);
    const limited = await taskSite.post('/mj/submit/imagine', DRAWING, slow);
    expect([limited.status, limited.json.code]).toEqual([429, 30]);
    // Reads do not count towards rate limits.
    const reads = await Promise.all(
      Array.from({ length: 3 }, () =>
        taskSite.post('/mj/task/list-by-condition', { ids: [] }, slow),
      ),
    );
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('when no channel of the right type offers it', async () => {
    const { site } = taskSite;
    await site.option('GroupRatio', { default: 1, lone: 1 });
    const channel = await site.addChannel({ type: 1, models: 'suno_lyrics', group: 'lone' });
    const token = await site.addToken({ owner: await site.addUser({ group: 'lone' }) });
    const { status, json } = await taskSite.post('/suno/submit/lyrics', { prompt: 'x' }, token);
    expect([status, json.code]).toEqual([400, 'endpoint_not_supported']);
    await site.as({ kind: 'operator' }).channel.remove({ id: channel.id });
  });
});

describe('a task upstream in trouble', () => {
  it('that does not answer causes a 504, a failed row and no charge', async () => {
    taskSite.upstream.next(silence);
    const { status, json } = await costsNothing(imagine);
    expect([status, json.code]).toEqual([504, 5]);
    expect(await newestDrawing()).toMatchObject({ status: 'FAILURE', progress: '0%', quota: 0 });
  });

  it('that disconnects or sends invalid data causes a 502', async () => {
    for (const trouble of [brokenOff, whole('<html>'), whole({ ok: true }), whole({ code: 1 })]) {
      taskSite.upstream.next(trouble);
      const { status, json } = await costsNothing(imagine);
      expect([status, json.code]).toEqual([502, 5]);
    }
  });

  it('that refuses with its own message returns its status, and is logged with error logging on', async () => {
    const { site, upstream } = taskSite;
    await site.option('LogErrorEnabled', true);
    upstream.next(answered(413, { error: { message: `too large for ${TASK_KEY}` } }));
    const { status, json, requestId } = await costsNothing(imagine);
    expect(status).toBe(413);
    expect(json.description).toContain('too large for tas***');
    const [log] = await site.logsOf(requestId);
    expect(log).toMatchObject({ type: 6, model_name: 'mj_imagine', quota: 0 });
    expect(log?.content).toContain('too large for tas***');
    expect(JSON.parse(log?.other ?? '')).not.toHaveProperty('reason');
  });

  it('that disconnects is logged with the code of the error, with error logging on', async () => {
    const { site, upstream } = taskSite;
    await site.option('LogErrorEnabled', true);
    upstream.next(brokenOff);
    const { requestId } = await costsNothing(imagine);
    const [log] = await site.logsOf(requestId);
    expect(log).toMatchObject({ type: 6, content: 'The upstream could not be reached.' });
    const reason = { error: 'upstream_failed' };
    expect(JSON.parse(log?.other ?? '')).toMatchObject({
      error_code: 'do_request_failed',
      reason,
      admin_info: { attempts: [{ message: '', reason }] },
    });
  });
});

describe('a task submission with a second channel', () => {
  let spare: FakeTaskUpstream;
  let spareId = 0;
  beforeAll(async () => {
    const { site } = taskSite;
    spare = await fakeTaskUpstream();
    await site.option('RetryTimes', 2);
    spareId = (await taskSite.addDrawingChannel(spare, { priority: 1 })).id;
  });
  afterAll(() => spare.close());

  it.each([
    ['refuses the key', answered(401, { message: 'no' })],
    ['has no place', answered(429, { message: 'later' })],
    ['is broken', answered(500, { message: 'sorry' })],
    ['has no account', whole({ code: 3, description: 'no account' })],
    ['has a full queue', whole({ code: 23, description: 'full' })],
  ])('skips an upstream that %s, and charges one task', async (_what, trouble) => {
    const { site, upstream } = taskSite;
    upstream.next(trouble);
    const before = await site.balance(site.user.id);
    const { json, requestId } = await imagine();
    expect(json.code).toBe(1);
    expect(await taskSite.drawing(json.result)).toMatchObject({
      channel_id: spareId,
      upstream_id: spare.ids.at(-1),
    });
    const after = await site.balance(site.user.id);
    expect(before.quota - after.quota).toBe(IMAGINE_UNITS);
    expect(await site.ledgerOf(requestId)).toHaveLength(1);
  });

  it.each([
    ['silent', silence],
    ['gone in the middle', brokenOff],
    ['speaking nonsense', whole('no JSON')],
  ])(
    'is not retried if an upstream is %s, because it may have accepted it',
    async (_what, trouble) => {
      const requestCount = spare.paths().length;
      taskSite.upstream.next(trouble);
      const { status } = await costsNothing(imagine);
      expect(status).toBeGreaterThanOrEqual(502);
      expect(spare.paths()).toHaveLength(requestCount);
    },
  );

  it('skips an unreachable upstream', async () => {
    const { site } = taskSite;
    const gone = await fakeTaskUpstream();
    const { id } = await taskSite.addDrawingChannel(gone, { priority: 5 });
    await gone.close();
    expect((await imagine()).json.code).toBe(1);
    await site.as({ kind: 'operator' }).channel.remove({ id });
  });

  it('disables a channel without accounts if configured, with the reason', async () => {
    const { site, upstream } = taskSite;
    await site.option('AutomaticDisableChannelEnabled', true);
    upstream.next(whole({ code: 3, description: 'no account' }));
    expect((await imagine()).json.code).toBe(1);
    const { other_info } = await eventually('the channel is off', async () => {
      const channel = await site.as({ kind: 'operator' }).channel.get({ id: channelId });
      return channel.status === 3 ? channel : undefined;
    });
    const reason = 'The upstream answered 200: no account';
    expect(JSON.parse(other_info)).toMatchObject({ status_reason: reason });
    await site.option('AutomaticDisableChannelEnabled', false);
  });

  it.each([
    ['a bot', { botType: 'NIJI_JOURNEY' }],
    ['a mode', { prompt: 'a cat --turbo' }],
    ['an account', { accountFilter: { instanceId: 'none' } }],
  ])('keeps the channel that lacks an account for %s of the caller', async (_what, fields) => {
    const { site, upstream } = taskSite;
    await site.option('AutomaticDisableChannelEnabled', true);
    await site.option('MjAccountFilterEnabled', true);
    upstream.next(whole({ code: 3, description: 'no such account' }));
    const { json } = await taskSite.post('/mj/submit/imagine', { prompt: 'a cat', ...fields });
    expect(json.code).toBe(1);
    upstream.next(whole({ code: 3, description: 'no account at all' }));
    await imagine();
    const { other_info } = await eventually('the channel is off', async () => {
      const channel = await site.as({ kind: 'operator' }).channel.get({ id: channelId });
      return channel.status === 3 ? channel : undefined;
    });
    expect(other_info).toContain('no account at all');
  });

  it('keeps the channel of a follow-up whose upstream lost the original task', async () => {
    const { site, upstream } = taskSite;
    await site.option('AutomaticDisableChannelEnabled', true);
    await site.option('MjActionCheckSuccessEnabled', false);
    const origin = await taskSite.imagine();
    upstream.next(whole({ code: 3, description: 'no such task' }));
    const body = { taskId: origin, action: 'REROLL' };
    const { json } = await costsNothing(() => taskSite.post('/mj/submit/change', body));
    expect(json).toEqual({ code: 3, description: 'no such task' });
    const row = await site.ctx.db('channels').where({ id: channelId }).first();
    expect(Number(row.status)).toBe(1);
  });
});
