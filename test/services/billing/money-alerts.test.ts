import { describe, expect, it } from 'vitest';
import { nowSec } from '../../../src/context.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { inInbox, runJob } from '../../support/alerts.ts';
import { databases } from '../../support/databases.ts';
import type { TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { anEntry, DAY, HOUR, writeEntries } from '../logs/log-entries.ts';

const USD = 500_000;

describe.each(databases)('alerts about money on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const run = () => runJob(site.ctx, 'money_alerts');
  const admin = await inInbox(site, 100);
  const messages = async (user: TestUser) =>
    (await site.as(user.actor).message.inbox({})).items.map(({ title, content }) => ({
      title,
      content,
    }));
  /** Spends some dollars a day from so many days ago, and some in the last hours. */
  const spend = async (user: TestUser, { days = 7, usual = 1, lately = 0, refunded = 0 }) => {
    const entry = { user_id: user.id, username: user.username };
    const ago = (sec: number) => ({ ...entry, created_at: nowSec(site.ctx) - sec });
    await writeEntries(site.ctx, [
      ...Array.from({ length: days }, (_, index) =>
        anEntry({ ...ago((index + 1.5) * DAY), quota: usual * USD }),
      ),
      anEntry({ ...ago(2 * HOUR), quota: lately * USD }),
      anEntry({ ...ago(2 * HOUR), quota: refunded * USD, type: 7 }),
    ]);
    // Except on SQLite, an entry is counted some time after it was seen.
    for (let pass = 0; pass < 2; pass += 1) {
      await aggregateLogs(site.ctx);
      site.pass(HOUR / 6);
    }
    await aggregateLogs(site.ctx);
  };

  it('reach an account that spends five times the usual, once a day, from two processes too', async () => {
    const wild = await inInbox(site);
    const calm = await inInbox(site);
    const fresh = await inInbox(site);
    const refunded = await inInbox(site);
    const small = await inInbox(site);
    await spend(wild, { usual: 2, lately: 11 });
    await spend(calm, { usual: 2, lately: 9 });
    await spend(fresh, { days: 2, usual: 1, lately: 50 });
    await spend(refunded, { usual: 2, lately: 11, refunded: 3 });
    await spend(small, { usual: 0.1, lately: 0.9 });
    await Promise.all([run(), run()]);
    await run();
    expect(await messages(wild)).toEqual([
      {
        title: 'Unusually high spending',
        content: expect.stringMatching(/\$11\.00.*\$2\.\d\d a day[\s\S]*api-usage/),
      },
    ]);
    for (const user of [calm, fresh, refunded, small]) expect(await messages(user)).toEqual([]);
  });

  it('reach super administrators for the site, and for a balance that differs from the ledger', async () => {
    const user = await site.aUser();
    await spend(user, { usual: 1, lately: 900 });
    await run();
    const titles = async () => (await messages(admin)).map(({ title }) => title);
    expect(await titles()).toEqual(['Unusually high spending of the site']);
    await site.ctx.db('users').where({ id: user.id }).increment('quota', 7);
    await run();
    await run();
    expect((await titles()).sort()).toEqual([
      'Balances differ from the ledger',
      'Unusually high spending of the site',
    ]);
  });
});
