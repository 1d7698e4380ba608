import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JOB_FUNCTIONS } from '../../../src/jobs/job-functions.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR, type TestUser } from '../../support/local-site.ts';
import { sharedLocalSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';
import { anEntry, DAY, HOUR, writeEntries } from '../logs/log-entries.ts';

const NEVER = new AbortController().signal;
const USD = 500_000;
/** Monday, 30 November 2026, midnight UTC. */
const MONDAY = Date.UTC(2026, 10, 30) / 1000;

describe.each(databases)('the weekly digest on $kind', async ({ kind }) => {
  const receiver = await sharedWebhookReceiver();
  const site = await sharedLocalSite(kind, {
    egressAllow: '127.0.0.1,::1',
    caFile: CA_FILE,
    timeZone: 'UTC',
  });
  let user: TestUser;
  let admin: TestUser;
  beforeAll(async () => {
    user = await inInbox({ weekly_digest: { time_zone: 'Asia/Shanghai' } }, 1);
    admin = await inInbox({ language: 'en' }, 100);
    await inInbox({}, 1);
    await inInbox({ weekly_digest: null }, 100);
    await site.ctx.db('users').update({ created_time: MONDAY - DAY });
    // Monday is over in Shanghai from 16:00 UTC on.
    const spent = (sec: number, usd: number, fields: object = {}) =>
      anEntry({ ...fields, user_id: user.id, created_at: MONDAY + sec, quota: usd * USD });
    await writeEntries(site.ctx, [
      spent(-9 * DAY, 2, { model_name: 'small' }),
      spent(-2 * DAY, 3, { model_name: 'large' }),
      spent(-2 * DAY, 1, { model_name: 'small' }),
      spent(-DAY, 1, { model_name: 'large', type: 7 }),
      spent(-HOUR, 50, { model_name: 'sunday in UTC' }),
    ]);
    at(MONDAY + 2 * DAY);
    for (let pass = 0; pass < 3; pass += 1) {
      await aggregateLogs(site.ctx);
      site.pass(120);
    }
  });
  beforeEach(async () => {
    for (const table of ['notices', 'messages', 'user_messages']) await site.ctx.db(table).delete();
  });

  const at = (sec: number) => site.pass(sec - Math.floor(site.ctx.now() / 1000));
  const inInbox = async (fields: object, role: 1 | 100): Promise<TestUser> => {
    const made = await site.aUser({ role, quota: 7 * USD });
    const setting = JSON.stringify({ notify_type: 'inbox', language: 'en', ...fields });
    await site.ctx.db('users').where({ id: made.id }).update({ setting });
    return made;
  };
  const run = () => JOB_FUNCTIONS.weekly_digest(site.ctx, NEVER);
  const sent = async () =>
    Promise.all(
      (await site.ctx.db('user_messages').orderBy('user_id')).map(async (row) => {
        const message = await site.ctx.db('messages').where({ id: row.message_id }).first();
        return [Number(row.user_id), String(message.title), String(message.content)];
      }),
    );

  it('comes on Monday morning in the time zone of the reader, once from two nodes', async () => {
    at(MONDAY - HOUR);
    await run();
    expect(await sent()).toEqual([]);
    at(MONDAY + HOUR);
    await Promise.all([run(), run()]);
    expect(await sent()).toEqual([
      [
        user.id,
        'Your week',
        expect.stringMatching(
          /2026-11-23 to 2026-11-29 you spent \$3\.00 \(week before: \+50 %\): \$4\.00 charged, \$1\.00 refunded. Calls: 2<br>.*<br>large: \$2\.00 \(1\)<br>small: \$1\.00 \(1\)<br>Balance: \$7\.00/,
        ),
      ],
    ]);
    at(MONDAY + 9 * HOUR);
    await Promise.all([run(), run()]);
    await run();
    expect((await sent()).map(([id, title]) => [id, title])).toEqual([
      [user.id, 'Your week'],
      [admin.id, 'The week of the site'],
    ]);
    expect((await sent())[1]?.[2]).toMatch(
      /\$53\.00 \(week before: \+2550 %\).*Calls: 3<br>.*<br>sunday in UTC: \$50\.00 \(1\)<br>[\s\S]*New users: \d<br>Failing channels: -/,
    );
  });

  it('goes to the destinations of the site too, and is not repeated when one fails', async () => {
    const ops = { name: 'ops', kind: 'webhook', address: receiver.url, language: 'en' } as const;
    await site.as(OPERATOR).destination.save(ops);
    receiver.answers.push({ status: 410 });
    at(MONDAY + 9 * HOUR);
    await run();
    await run();
    expect(receiver.hooks.map(({ raw }) => JSON.parse(raw))).toEqual([
      expect.objectContaining({ type: 'weekly_digest', title: 'The week of the site' }),
    ]);
    expect(await site.as(OPERATOR).destination.list({})).toMatchObject([
      { failure: expect.stringContaining('410') },
    ]);
  });
});
