/** Records of calls that ended without an answer, and who may read them. */
import { beforeEach, describe, expect, test } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { cleanUp } from '../../../src/jobs/cleanup.ts';
import { NO_OP_OBSERVER } from '../../../src/observe/observer.ts';
import { explain } from '../../../src/services/billing/ledger-reports.ts';
import {
  createFailedCallBuffer,
  MAX_PER_MINUTE,
  MAX_PER_USER,
} from '../../../src/services/logs/failed-calls.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR, type SiteCall, UPSTREAM_KEY } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

let nowMs = Date.now();
const site = await sharedSite({ upstreams: 2, options: { RetryTimes: 1 }, now: () => nowMs });
const admin = await site.addUser({ role: 10 });
beforeEach(() => {
  // The number of rows is limited per minute.
  nowMs += 60_000;
});

async function explained(requestId: string, actor = admin.actor) {
  return eventually('the call is recorded', () =>
    site
      .as(actor)
      .ledger.explain({ request_id: requestId })
      .catch(() => undefined),
  );
}

const recorded = async () => Number((await site.ctx.db('failed_calls').count('* as n'))[0]?.n);

test('the record of an unanswered call has the channels tried and the reason for no charge', async () => {
  for (const upstream of site.upstreams) upstream.setDefault('status:503');
  const { status, requestId } = await site.call({ body: CHAT });
  expect(status).toBe(503);
  const { failure, attempts, logs, ledger } = await explained(requestId);
  expect(failure).toMatchObject({
    user_id: site.user.id,
    token_id: site.token.id,
    token_name: site.token.name,
    group: 'default',
    model: CHAT.model,
    endpoint: 'chat',
    status: 503,
    source: 'upstream',
    outcome: 'failed',
    no_charge: expect.stringContaining('No channel returned an answer'),
  });
  expect(attempts).toHaveLength(2);
  for (const attempt of attempts)
    expect(attempt).toMatchObject({
      channel_id: expect.any(Number),
      channel_name: expect.any(String),
      status: 503,
      duration_ms: expect.any(Number),
    });
  expect([logs, ledger]).toEqual([[], []]);
});

test('neither keys nor prompts are stored', async () => {
  for (const upstream of site.upstreams) upstream.setDefault('invalid-key');
  const secret = 'the number of my passport';
  const body = { ...CHAT, messages: [{ role: 'user', content: secret }] };
  const { requestId } = await site.call({ body });
  expect((await explained(requestId)).attempts).toMatchObject([{ status: 401 }, { status: 401 }]);
  const rows = JSON.stringify(await site.ctx.db('failed_calls').where({ request_id: requestId }));
  for (const text of [UPSTREAM_KEY, site.token.key, secret]) expect(rows).not.toContain(text);
});

describe('a refusal by the gateway', () => {
  const cases: readonly [string, SiteCall, string][] = [
    ['an unknown model', { body: { ...CHAT, model: 'no-such-model' } }, 'model_unknown'],
    ['a body without a model', { body: {} }, 'field_missing'],
    ['no JSON', { rawBody: '{' }, 'body_not_json'],
  ];
  test.each(cases)('of %s is recorded with its code', async (_what, call, code) => {
    const { status, requestId } = await site.call(call);
    const { failure, attempts } = await explained(requestId);
    expect(failure).toMatchObject({ status, source: 'gateway', outcome: 'refused' });
    expect(failure?.message).not.toBe('');
    expect(attempts).toEqual([]);
    const [row] = await site.ctx.db('failed_calls').where({ request_id: requestId });
    expect(row.code).toBe(code);
  });

  test("is shown in the reader's language", async () => {
    const { requestId } = await site.call({ body: { ...CHAT, model: 'no-such-model' } });
    await explained(requestId);
    const visit = { ...terminalVisit('zh') };
    const input = { request_id: requestId };
    const { failure } = await explain(site.ctx, OPERATOR, input, visit);
    expect(failure?.no_charge).toContain('不扣费');
    expect(failure?.message).toContain('no-such-model');
    expect(failure?.message).toMatch(/\p{Script=Han}/u);
  });
});

test('a stream that breaks before any content is recorded', async () => {
  for (const upstream of site.upstreams) upstream.setDefault('reset-stream:1');
  const answer = await site.call({ body: STREAM });
  const { failure, attempts } = await explained(answer.requestId);
  expect(failure).toMatchObject({ source: 'upstream', outcome: 'failed', is_stream: true });
  expect(attempts.length).toBeGreaterThan(0);
});

test('an answered call is not recorded as failed', async () => {
  const before = await recorded();
  await site.call({ body: CHAT });
  const { requestId } = await site.call({ body: { model: CHAT.model } });
  await explained(requestId);
  expect(await recorded()).toBe(before + 1);
});

test('users see their own calls, without channels and upstream errors', async () => {
  for (const upstream of site.upstreams) upstream.setDefault('status:503');
  const { requestId } = await site.call({ body: CHAT });
  await explained(requestId);
  const own = await explained(requestId, site.user.actor);
  expect(own).toMatchObject({ attempts: [], failure: { status: 503, message: '' } });
  const other = await site.addUser();
  await expect(
    site.as(other.actor).ledger.explain({ request_id: requestId }),
  ).rejects.toMatchObject({ code: 'request_missing' });
});

test('a refused key is recorded without a user', async () => {
  const { requestId } = await site.call({ key: 'sk-unknown', body: CHAT });
  expect((await explained(requestId)).failure).toMatchObject({ user_id: 0, status: 401 });
});

test('many failures write a bounded number of rows and count the others', async () => {
  let dropped = 0;
  const observer = {
    ...NO_OP_OBSERVER,
    failedCallDropped() {
      dropped += 1;
    },
  };
  const calls = createFailedCallBuffer({ ...site.ctx, observer });
  const { requestId } = await site.call({ body: {} });
  await explained(requestId);
  const [row] = await site.ctx.db('failed_calls').where({ request_id: requestId }).select('*');
  const { id: _, ...call } = row;
  const before = await recorded();
  const note = (times: number, user_id: number) => {
    for (let time = 0; time < times; time += 1) calls.add({ ...call, user_id });
  };
  note(MAX_PER_USER + 20, 0);
  await calls.flush();
  expect([await recorded(), dropped]).toEqual([before + MAX_PER_USER, 20]);
  for (let user = 1; user <= 10; user += 1) note(MAX_PER_USER, user);
  await calls.flush();
  expect(await recorded()).toBe(before + MAX_PER_MINUTE);
  nowMs += 60_000;
  note(1, 0);
  await calls.flush();
  expect(await recorded()).toBe(before + MAX_PER_MINUTE + 1);
});

test('nothing is recorded while the option is off, and old records are deleted', async () => {
  await site.option('FailedCallDays', 0);
  const before = await recorded();
  await site.call({ body: {} });
  await site.option('FailedCallDays', 7);
  const { requestId } = await site.call({ body: {} });
  await explained(requestId);
  expect(await recorded()).toBe(before + 1);
  nowMs += 7 * 86_400_000 - 1_000;
  await cleanUp(site.ctx, new AbortController().signal);
  expect(await recorded()).toBeGreaterThan(0);
  nowMs += 2_000 + 60_000;
  await cleanUp(site.ctx, new AbortController().signal);
  expect(await recorded()).toBe(0);
});
