/** Destinations of the site's alerts, with real deliveries to a receiver. */

import { beforeEach, describe, expect, it } from 'vitest';
import { createBackground } from '../../../src/services/cluster/background-queue.ts';
import { notifyFailingChannel } from '../../../src/services/messaging/notify/events.ts';
import { loadOptions } from '../../../src/services/options/options.ts';
import { inInbox } from '../../support/alerts.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';

describe.each(databases)("a destination of the site's alerts on $kind", async ({ kind }) => {
  const receiver = await sharedWebhookReceiver();
  const site = await sharedLocalSite(kind, { egressAllow: '127.0.0.1,::1', caFile: CA_FILE });
  const admin = await inInbox(site, 100);
  beforeEach(async () => {
    for (const table of ['notices', 'alert_states', 'messages', 'user_messages'])
      await site.ctx.db(table).delete();
    await site.as(OPERATOR).option.set({ key: 'AlertDestinations', value: '[]' });
  });

  const calls = () => site.as(admin.actor).destination;
  const ops = (fields: object = {}) => ({
    name: 'ops',
    kind: 'slack' as const,
    address: receiver.url,
    language: 'en' as const,
    ...fields,
  });
  /** As a process of its own. */
  const alert = async () => {
    const background = createBackground(site.ctx.log);
    notifyFailingChannel({ ...site.ctx, background }, { id: 7, name: 'broken' });
    await background.drain(10_000);
  };
  const inbox = async () => (await site.as(admin.actor).message.inbox({})).items;

  it('gets each alert in its own form and language, once from two processes', async () => {
    await calls().save(ops());
    await calls().save(ops({ name: '值班', kind: 'wecom', language: 'zh' }));
    receiver.answers.push(...Array(4).fill({ status: 200, body: '{"errcode":0}' }));
    await Promise.all([alert(), alert()]);
    const bodies = receiver.hooks.map(({ raw }) => JSON.parse(raw));
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual({ text: expect.stringMatching(/^\*A channel is failing/) });
    expect(bodies).toContainEqual({
      msgtype: 'text',
      text: { content: expect.stringMatching(/^有渠道持续失败/) },
    });
  });

  it('that fails is tried three times, then marked, and super administrators learn of it', async () => {
    await calls().save(ops());
    receiver.answers.push(...Array(3).fill({ status: 503 }));
    await alert();
    expect(receiver.hooks).toHaveLength(3);
    expect(await calls().list({})).toMatchObject([
      { name: 'ops', failing_since: now(), failure: expect.stringContaining('503') },
    ]);
    const title = "A destination of the site's alerts fails";
    const failed = (await inbox()).filter((message) => message.title === title);
    expect(failed).toEqual([
      expect.objectContaining({ content: expect.stringMatching(/destination ops: .*503/) }),
    ]);
    await alert();
    expect(receiver.hooks).toHaveLength(4);
    expect(await calls().list({})).toMatchObject([{ failing_since: 0, failure: '' }]);
  });

  it('gets a test, which ends its mark when it arrives', async () => {
    await calls().save(ops());
    receiver.answers.push({ status: 404 }, { status: 410 });
    await alert();
    await expectRefusal(calls().test({ name: 'ops' }), 'notice_failed');
    expect((await calls().list({}))[0]?.failing_since).toBeGreaterThan(0);
    expect(await calls().test({ name: 'ops' })).toEqual({ sent_to: 'slack' });
    expect((await calls().list({}))[0]?.failing_since).toBe(0);
  });

  it('keeps its secret unless another is sent, encrypted and out of sight', async () => {
    await calls().save(ops({ kind: 'webhook', secret: 'sesame' }));
    await calls().save(ops({ kind: 'webhook', before: 'ops', name: 'team' }));
    const [shown] = await calls().list({});
    expect(shown).toMatchObject({ name: 'team', has_secret: true });
    expect(JSON.stringify(shown)).not.toContain('sesame');
    const row = await site.ctx.db('options').where({ key: 'AlertDestinations' }).first('value');
    expect(row?.value).not.toContain('sesame');
    await calls().test({ name: 'team' });
    expect(receiver.hooks[0]?.headers.authorization).toBe('Bearer sesame');
    await calls().save(ops({ kind: 'webhook', before: 'team', name: 'team', secret: null }));
    expect((await calls().list({}))[0]?.has_secret).toBe(false);
    await calls().remove({ name: 'team' });
    expect((await loadOptions(site.ctx)).raw('AlertDestinations')).toBe('[]');
    expect(await site.as(OPERATOR).option.get({ key: 'AlertDestinations' })).toMatchObject({
      secret: true,
      is_set: false,
    });
  });

  it('has a name of its own and an address that may be fetched', async () => {
    await calls().save(ops());
    await expect(calls().save(ops())).rejects.toMatchObject({ param: 'name' });
    await expectRefusal(calls().save(ops({ name: 'x', before: 'gone' })), 'destination_missing');
    for (const wrong of [
      { kind: 'email', address: 'nobody' },
      { kind: 'slack', address: 'http://hooks.example/' },
      { kind: 'telegram' },
      { address: 'https://10.0.0.1/hook' },
    ])
      await expectRefusal(calls().save(ops({ name: 'x', ...wrong })), 'input_invalid', {
        param: 'address',
      });
    await expectRefusal(
      site.as(OPERATOR).option.set({
        key: 'AlertDestinations',
        value: [ops(), ops()],
      }),
      'option_invalid',
    );
  });

  const now = () => Math.floor(site.ctx.now() / 1000);
});
