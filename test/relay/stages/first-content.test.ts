/** A stream without timely content is retried on another channel, at no cost. */
import { describe, expect, test } from 'vitest';
import { CircuitBreakers } from '../../../src/relay/routing/circuit-breaker.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';
import { refusalIn } from '../refusal.ts';

const site = await sharedSite({
  upstreams: 2,
  options: { RetryTimes: 1, FirstContentTimeoutSeconds: 1 },
});
const channels = (await site.as(OPERATOR).channel.list({ id_sort: true })).items.reverse();
for (const [at, { id }] of channels.entries())
  await site.as(OPERATOR).channel.edit({ id, priority: 10 - at });

function requests(): number[] {
  return site.upstreams.map((upstream) => upstream.stats.calls);
}

describe('a stream without content within the time limit', () => {
  test.each([
    ['that has not even a status', 'hold'],
    ['that begins with nothing but a role', 'hold:1'],
  ])('%s is retried on the next channel, and only that one is charged', async (_name, plan) => {
    site.upstreams[0]?.script(plan);
    const answer = await site.call({ body: STREAM });
    expect([answer.status, requests()]).toEqual([200, [1, 1]]);
    expect(answer.text).toContain('[DONE]');
    expect(answer.text.match(/"role":"assistant"/g)).toHaveLength(1);
    const entries = await site.ledgerOf(answer.requestId);
    expect(entries.map((entry) => entry.channel_id)).toEqual([channels[1]?.id]);
    const { admin_info } = JSON.parse((await site.logOf(answer.requestId))?.other ?? '{}');
    expect(admin_info.attempts).toMatchObject([
      {
        status: 504,
        code: 'upstream_timeout',
        reason: { error: 'upstream_slow', params: { seconds: 1 } },
      },
      { status: 200 },
    ]);
    await site.upstreams[0]?.until((stats) => stats.openCalls === 0);
  });

  test("is a 504 in the client's dialect when no other channel is left", async () => {
    for (const upstream of site.upstreams) upstream.script('hold:1');
    const answer = await site.call({ body: STREAM });
    expect(refusalIn(answer)).toMatchObject({
      status: 504,
      code: 'upstream_timeout',
      message: 'The upstream sent no part of its answer within 1 s.',
    });
    expect(await site.ledgerOf(answer.requestId)).toEqual([]);
    for (const upstream of site.upstreams) upstream.script('hold:1');
    const body = { model: CHAT.model, max_tokens: 9, stream: true, messages: CHAT.messages };
    const claude = await site.call({ path: '/v1/messages', body });
    expect([claude.status, JSON.parse(claude.text).type]).toEqual([504, 'error']);
  });

  test('may pause between chunks once content has started', async () => {
    site.upstreams[0]?.script({ events: 4, chunkDelayMs: 400 });
    const answer = await site.call({ body: STREAM });
    expect([answer.status, requests()]).toEqual([200, [1, 0]]);
    expect(answer.text).toContain('[DONE]');
  });

  test("uses the channel's own time limit, and none when that is 0", async () => {
    const id = channels[0]?.id ?? 0;
    const setting = (seconds: number) => JSON.stringify({ first_content_timeout_seconds: seconds });
    await site.as(OPERATOR).channel.edit({ id, setting: setting(0) });
    site.upstreams[0]?.script({ headPauseMs: 1_500 });
    expect((await site.call({ body: STREAM })).status).toBe(200);
    expect(requests()).toEqual([1, 0]);
    await site.as(OPERATOR).channel.edit({ id, setting: '' });
  });

  test('counts as a failed attempt, not a broken stream, if an error comes before content', async () => {
    site.upstreams[0]?.script('error-mid-stream:1');
    const answer = await site.call({ body: STREAM });
    expect([answer.status, requests()]).toEqual([200, [1, 1]]);
    expect(answer.text).not.toContain('"error":{');
  });
});

test("a whole answer is limited by the channel's timeout, and can be retried elsewhere", async () => {
  const id = channels[0]?.id ?? 0;
  const setting = JSON.stringify({ answer_timeout_seconds: 1 });
  await site.as(OPERATOR).channel.edit({ id, setting });
  site.upstreams[0]?.script('hold');
  const answer = await site.call({ body: CHAT });
  expect([answer.status, requests()]).toEqual([200, [1, 1]]);
  await site.as(OPERATOR).channel.edit({ id, setting: '' });
});

test('slow answers open a circuit breaker only after twice as many failures', () => {
  const breakers = new CircuitBreakers(() => 0);
  for (let time = 0; time < 9; time += 1) breakers.failed(1, 'm', 0.5);
  expect(breakers.waitMs(1, 'm')).toBe(0);
  breakers.failed(1, 'm', 0.5);
  expect(breakers.waitMs(1, 'm')).toBe(5_000);
});
