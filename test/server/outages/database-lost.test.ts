/** Responses while the database is unavailable, and the settlement of affected calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loggerTo } from '../../../src/log.ts';
import { databases } from '../../support/databases.ts';
import { aSite, eventually, type Site } from '../../support/site.ts';
import { aLineTo, type Line } from '../../support/tcp-proxy.ts';
import { CHAT, eventsIn, STREAM } from '../../upstream/wire.ts';
import { type RefusedCall, refusedCalls } from './dialect-calls.ts';

const hasPostgres = databases.some(({ kind }) => kind === 'postgres');

describe.skipIf(!hasPostgres)('while the database does not respond', () => {
  let site: Site;
  let line: Line;
  const lines: string[] = [];
  beforeAll(async () => {
    site = await aSite({
      log: loggerTo('info', { write: (text) => void lines.push(text) }),
      database: 'postgres',
      through: async (dsn) => {
        line = await aLineTo(dsn, 5432);
        return line.url;
      },
    });
  });
  afterAll(async () => {
    await site.close();
    await line.cut();
  });

  const requested: readonly RefusedCall[] = [
    ...refusedCalls('database_unreachable'),
    [
      'management',
      { path: '/api/user/self', headers: { authorization: 'x' }, key: '' },
      /"success":false/,
    ],
    ['health', { path: '/health/ready', key: '' }, /database unreachable/],
  ];

  test('every endpoint answers 503 without revealing where the database is', async () => {
    await site.call({ body: CHAT });
    line.fallSilent();
    // For readiness a successful write within the last second is sufficient.
    await pause(1_100);
    const answers = await Promise.all(requested.map(([, call]) => site.call(call)));
    for (const [at, [name, , pattern]] of requested.entries()) {
      const { status, text } = answers[at] ?? { status: 0, text: '' };
      expect([name, status]).toEqual([name, 503]);
      expect(text).toMatch(pattern);
      expect(text).not.toContain('127.0.0.1');
    }
    line.speak();
    await eventually(
      'calls are answered',
      async () => (await site.call({ body: CHAT })).status === 200,
    );
    await site.settled();
    expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 } });
  });

  test('the log has one line when it is lost and one when it is back, with a count', async () => {
    lines.length = 0;
    line.fallSilent();
    await eventually('the loss is known', () => !site.serving.booted.databases.isUp());
    for (let at = 0; at < 5; at += 1)
      for (const [, call] of requested) expect((await site.call(call)).status).toBe(503);
    await site.call({ path: '/health/ready', key: '' });
    line.speak();
    await eventually('the return is known', () => site.serving.booted.databases.isUp());
    const logged = lines.map((text) => JSON.parse(text)).filter(({ level }) => level >= 30);
    const ofDatabase = logged.filter(({ msg, err }) => /database/.test(`${msg} ${err?.message}`));
    expect(ofDatabase).toMatchObject([
      { msg: 'the database does not answer' },
      { msg: 'the database answers again', failed: expect.any(Number) },
    ]);
    expect(ofDatabase[1].failed).toBeGreaterThan(0);
    expect(logged.filter(({ err }) => err?.stack !== undefined)).toHaveLength(1);
  });

  test('a running answer is finished, and charged once when the database is back', async () => {
    site.upstream.script('hold:3', 'hold');
    const stream = await site.start({ body: STREAM });
    const whole = site.call({ body: CHAT });
    await site.upstream.until((stats) => stats.openCalls === 2);
    line.fallSilent();
    site.upstream.release();
    await eventually('the loss is known', () => !site.serving.booted.databases.isUp());
    line.speak();
    const events = eventsIn(await stream.body.text());
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.join('')).not.toContain('"error"');
    const { status, requestId } = await whole;
    expect(status).toBe(200);
    for (const id of [stream.requestId, requestId])
      expect(await site.ledgerOf(id)).toMatchObject([{ cause: 'charge' }]);
    await site.settled();
    expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 } });
  });
});
