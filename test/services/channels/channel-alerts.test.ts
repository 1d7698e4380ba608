import { beforeEach, describe, expect, it } from 'vitest';
import { insertOutcomes } from '../../../src/store/tables/channel-outcomes-table.ts';
import { inInbox, runJob } from '../../support/alerts.ts';
import { databases } from '../../support/databases.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const MINUTE = 60;
const TABLES = [
  'channel_outcomes',
  'abilities',
  'channels',
  'messages',
  'user_messages',
  'alert_states',
];

describe.each(databases)('alerts about channels on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const admin = await inInbox(site, 100);
  beforeEach(async () => {
    for (const table of TABLES) await site.ctx.db(table).delete();
  });

  const outcome = (channelId: number, ok: boolean) =>
    insertOutcomes(site.ctx.db, [
      {
        channel_id: channelId,
        source: 'test',
        model: 'm',
        ok,
        status: ok ? 200 : 500,
        error_class: ok ? '' : 'server',
        message: '',
        latency_ms: 5,
        first_token_ms: 0,
        at_ms: site.ctx.now(),
        test_run_id: 0,
      },
    ]);
  const run = () => runJob(site.ctx, 'alerts');
  const inbox = async () => {
    const { items } = await site.as(admin.actor).message.inbox({});
    return items.map(({ title, content }) => [title, content.replace(/<[^>]*>/g, ' ')]);
  };

  it('name a channel that has failed for five minutes, once a day, and once the models it leaves without one', async () => {
    const broken = await site.aChannel({ name: 'broken', models: 'only-here,everywhere' });
    const good = await site.aChannel({ name: 'good', models: 'everywhere' });
    await outcome(good.id, true);
    await outcome(broken.id, false);
    await run();
    expect(await inbox()).toEqual([]);
    site.pass(5 * MINUTE);
    await run();
    await run();
    const failing = ['A channel is failing', expect.stringContaining(`broken (#${broken.id})`)];
    const down = [
      'Models have no working channel',
      expect.stringMatching(/failing: 1[\s\S]*only-here/),
    ];
    expect(await inbox()).toEqual(expect.arrayContaining([failing, down]));
    expect(await inbox()).toHaveLength(2);
    site.pass(24 * 60 * MINUTE);
    await run();
    expect(await inbox()).toEqual(expect.arrayContaining([failing, failing, down]));
    expect(await inbox()).toHaveLength(3);
  });

  it('name models that lose their last channel and have one again, once from two processes', async () => {
    const failing = await site.aChannel({ name: 'failing', models: 'shared' });
    const other = await site.aChannel({ name: 'other', models: 'shared,gone', status: 2 });
    await site.ctx.db('channels').where({ id: other.id }).update({ status: 3 });
    const models = async () =>
      (await inbox()).filter(([title]) => title !== 'A channel is failing').map(String);
    await outcome(failing.id, false);
    site.pass(5 * MINUTE);
    await Promise.all([run(), run()]);
    expect(await models()).toEqual([
      expect.stringMatching(/no working channel.*2\s+gone\s+shared/),
    ]);
    await site.ctx.db('abilities').where({ model: 'gone' }).delete();
    await outcome(failing.id, true);
    await Promise.all([run(), run()]);
    const back = expect.stringMatching(/working channel again.*1\s+shared/);
    expect(await models()).toEqual(expect.arrayContaining([back]));
    await site.ctx.db('abilities').where({ channel_id: other.id }).update({ enabled: true });
    site.pass(MINUTE);
    await outcome(failing.id, false);
    site.pass(5 * MINUTE);
    await run();
    expect(await models()).toHaveLength(2);
  });

  it('name no channel that works again or is disabled', async () => {
    const again = await site.aChannel({ name: 'again', models: 'a' });
    const off = await site.aChannel({ name: 'off', models: 'b', status: 2 });
    for (const { id } of [again, off]) await outcome(id, false);
    site.pass(5 * MINUTE);
    await outcome(again.id, true);
    await run();
    expect(await inbox()).toEqual([]);
  });
});
