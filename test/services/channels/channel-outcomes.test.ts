/** Channel history: added by calls, written in batches, limited to what is shown. */

import { describe, expect, it } from 'vitest';
import { terminalVisit } from '../../../src/api/call.ts';
import { OptionValues } from '../../../src/domain/options/registry.ts';
import {
  attemptErrorClass,
  attemptOutcome,
  createOutcomeBuffer,
  one,
} from '../../../src/services/channels/channel-outcomes.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const ATTEMPT = {
  channel_id: 1,
  upstream_model: 'gpt-4o',
  status: 200,
  code: '',
  message: '',
  duration_ms: 120,
};
const CALL = { isStream: false, atMs: 1000 };

const SITE = { options: () => new OptionValues() };

/** An outcome of the channel at this time; even times are successes. */
function outcome(channelId: number, atMs: number) {
  const wrong = { status: 500, code: 'server_error', message: 'no\u0000 good' };
  const attempt = { ...ATTEMPT, channel_id: channelId, ...(atMs % 2 === 0 ? {} : wrong) };
  const made = attemptOutcome(SITE, attempt, { ...CALL, atMs });
  if (made === undefined) throw new Error('this one is news');
  return made;
}

describe.each(databases)('channel outcomes on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = site.as(OPERATOR);

  const times = async (id: number) =>
    (await api.channelHealth.one({ id })).outcomes.map((row) => row.at_ms);
  const stored = async (id: number) =>
    (await site.ctx.db('channel_outcomes').where({ channel_id: id })).length;

  it('are written in batches and shown oldest first', async () => {
    const { id } = await site.aChannel();
    const outcomes = createOutcomeBuffer(site.ctx);
    outcomes.add(outcome(id, 2));
    outcomes.add(outcome(id, 3));
    expect(await stored(id)).toBe(0);
    await outcomes.close();
    expect((await api.channelHealth.one({ id })).outcomes).toEqual([
      {
        at_ms: 2,
        source: 'call',
        ok: true,
        status: 200,
        latency_ms: 120,
        first_token_ms: 0,
        error_class: '',
        model: 'gpt-4o',
        message: '',
      },
      {
        at_ms: 3,
        source: 'call',
        ok: false,
        status: 500,
        latency_ms: 120,
        first_token_ms: 0,
        error_class: 'server',
        model: 'gpt-4o',
        message: 'no good',
      },
    ]);
  });

  it("are worded in the reader's language if the gateway states the failure", async () => {
    const { id } = await site.aChannel();
    const outcomes = createOutcomeBuffer(site.ctx);
    const failed = { ...ATTEMPT, channel_id: id, status: 504, code: 'upstream_timeout' };
    const slow = { error: 'upstream_slow', params: { seconds: 5 } } as const;
    // Too long to be stored as an event.
    const model = 'm'.repeat(240);
    const long = {
      error: 'channel_unusable',
      params: { reason: 'key_of_google_models', model },
    } as const;
    for (const reason of [slow, long]) {
      const made = attemptOutcome(site.ctx, { ...failed, reason }, CALL);
      if (made !== undefined) outcomes.add(made);
    }
    await outcomes.close();
    const messages = async (language: 'en' | 'zh') => {
      const visit = terminalVisit(language);
      const health = await one(site.ctx, OPERATOR, { id }, visit);
      return health.outcomes.map(({ message }) => message);
    };
    const english = 'The settings of the channel prevent this call: an API key serves ';
    expect(await messages('zh')).toEqual([
      '上游在 5 秒内没有返回任何内容',
      expect.stringContaining(english),
    ]);
    expect(await messages('en')).toEqual([
      'The upstream sent no part of its answer within 5 s.',
      expect.stringContaining(english),
    ]);
  });

  it('of a busy channel are limited to the latest thirty, in memory and in the database', async () => {
    const [busy, calm] = [(await site.aChannel()).id, (await site.aChannel()).id];
    const outcomes = createOutcomeBuffer(site.ctx);
    outcomes.add(outcome(calm, 0));
    for (let at = 0; at < 100; at += 1) outcomes.add(outcome(busy, at));
    await outcomes.flush();
    expect(await stored(busy)).toBe(30);
    for (let at = 100; at < 145; at += 1) {
      outcomes.add(outcome(busy, at));
      if (at % 10 === 0) await outcomes.flush();
    }
    await outcomes.close();
    expect(await times(busy)).toEqual(Array.from({ length: 30 }, (_, at) => 115 + at));
    expect(await stored(busy)).toBeLessThan(60);
    expect(await times(calm)).toEqual([0]);
  });

  it('of several channels are returned together, in the requested order', async () => {
    const [first, second] = [(await site.aChannel()).id, (await site.aChannel()).id];
    const outcomes = createOutcomeBuffer(site.ctx);
    outcomes.add(outcome(first, 10));
    await outcomes.close();
    const many = await api.channelHealth.many({ ids: `${second},${first},999999` });
    expect(many.map(({ channel_id, outcomes: rows }) => [channel_id, rows.length])).toEqual([
      [second, 0],
      [first, 1],
      [999_999, 0],
    ]);
    for (const ids of ['', 'a', Array.from({ length: 101 }, (_, at) => at + 1).join(',')])
      await expect(api.channelHealth.many({ ids })).rejects.toMatchObject({ param: 'ids' });
    await expectRefusal(api.channelHealth.one({ id: 999_999 }), 'channel_missing');
  });

  it('are deleted with their channel', async () => {
    const { id } = await site.aChannel();
    const outcomes = createOutcomeBuffer(site.ctx);
    outcomes.add(outcome(id, 2));
    await outcomes.close();
    await api.channel.remove({ id });
    expect(await stored(id)).toBe(0);
  });
});

describe('the outcome of an attempt', () => {
  it.each([400, 413, 422])('does not include client errors (%i)', (status) => {
    expect(
      attemptOutcome(SITE, { ...ATTEMPT, status, code: 'invalid_value' }, CALL),
    ).toBeUndefined();
  });

  it('of a stream has the time to its first frame', () => {
    expect(attemptOutcome(SITE, ATTEMPT, { ...CALL, isStream: true })).toMatchObject({
      first_token_ms: 120,
    });
  });

  it.each([
    [401, 'invalid_api_key', 'key'],
    [403, 'forbidden', 'key'],
    [429, 'rate_limit_exceeded', 'limit'],
    [404, 'model_not_found', 'request'],
    [500, 'server_error', 'server'],
    [502, 'do_request_failed', 'network'],
    [502, 'bad_response_body', 'answer'],
    [504, 'upstream_timeout', 'timeout'],
    [0, 'upstream_failed', 'network'],
    [200, 'upstream_garbled', 'answer'],
    [200, 'slow', 'slow'],
  ] as const)('with status %i and code %s is a failure by %s', (status, code, expected) => {
    expect(attemptErrorClass(status, code)).toBe(expected);
  });
});
