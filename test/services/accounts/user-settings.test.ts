import { describe, expect, it } from 'vitest';
import { receiverOf } from '../../../src/services/messaging/notify/receiver.ts';
import { userById } from '../../../src/store/tables/users-table.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR, type TestUser } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

/** A public IP address, to avoid a name lookup. */
const WEBHOOK = 'https://93.184.216.34/hook';

describe.each(databases)('user settings on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const change = (user: TestUser, fields: object) =>
    site.as(user.actor).account.changeSetting(fields);
  const stored = async (user: TestUser) => (await userById(site.ctx.db, user.id))?.setting ?? '';
  const shown = async (user: TestUser) => {
    const self = await site.as(user.actor).account.self({});
    return { ...JSON.parse(self.setting), has_webhook_secret: self.has_webhook_secret };
  };

  it('include a language, which administrators may change and delete', async () => {
    const user = await site.aUser();
    await change(user, { show_ip_in_logs: true });
    const { id } = user;
    const edit = (language: 'zh' | 'en' | null) => site.as(OPERATOR).user.edit({ id, language });
    expect((await edit('zh')).language).toBe('zh');
    expect(await shown(user)).toMatchObject({ show_ip_in_logs: true, language: 'zh' });
    await edit('zh');
    expect((await edit(null)).language).toBeNull();
    expect(JSON.parse(await stored(user))).toEqual({ show_ip_in_logs: true });
    const { items } = await site.as(OPERATOR).log.list({ username: user.username });
    const entries = items.filter(({ content }) => content === 'Account changed: Language');
    expect(entries).toHaveLength(2);
  });

  it('write the sent fields and keep the others, including those of another type', async () => {
    const user = await site.aUser();
    await change(user, {
      notify_type: 'webhook',
      webhook_url: WEBHOOK,
      webhook_secret: 'sesame',
      quota_warning_threshold: 1000,
    });
    await change(user, { notify_type: 'email', notification_email: 'a@x.org' });
    await change(user, { show_ip_in_logs: true, accept_unset_model_ratio_model: true });
    expect(await shown(user)).toEqual({
      notify_type: 'email',
      webhook_url: WEBHOOK,
      quota_warning_threshold: 1000,
      notification_email: 'a@x.org',
      show_ip_in_logs: true,
      accept_unset_model_ratio_model: true,
      has_webhook_secret: true,
    });
  });

  it('keep the encrypted secret if empty, and delete it if null', async () => {
    const user = await site.aUser();
    await change(user, { webhook_url: WEBHOOK, webhook_secret: 'sesame' });
    await change(user, { webhook_secret: '' });
    expect(await stored(user)).not.toContain('sesame');
    await change(user, { notify_type: 'webhook' });
    const setting = await stored(user);
    expect(receiverOf(site.ctx, { id: 1, email: '', setting })).toEqual({
      kind: 'webhook',
      url: WEBHOOK,
      secret: 'sesame',
    });
    await change(user, { webhook_secret: null });
    expect(await shown(user)).toEqual({
      notify_type: 'webhook',
      webhook_url: WEBHOOK,
      has_webhook_secret: false,
    });
  });

  it('can be saved with an old webhook that no longer resolves while notices go by mail', async () => {
    const user = await site.aUser();
    const gone = 'https://gone.invalid/hook';
    const setting = JSON.stringify({ notify_type: 'webhook', webhook_url: gone });
    await site.ctx.db('users').where({ id: user.id }).update({ setting });
    const refused = { code: 'input_invalid', param: 'webhook_url' };
    await expect(change(user, { webhook_url: gone })).rejects.toMatchObject(refused);
    await change(user, { notify_type: 'email', webhook_url: gone, show_ip_in_logs: true });
    expect(await shown(user)).toMatchObject({ notify_type: 'email', show_ip_in_logs: true });
    await expect(change(user, { notify_type: 'webhook' })).rejects.toMatchObject(refused);
    const local = change(user, { notify_type: 'email', webhook_url: 'https://127.0.0.1/hook' });
    await expect(local).rejects.toMatchObject(refused);
  });

  it('all apply when sent concurrently', async () => {
    const user = await site.aUser();
    await Promise.all([
      change(user, { show_ip_in_logs: true }),
      change(user, { quota_warning_threshold: 5 }),
      change(user, { notification_email: 'b@x.org' }),
    ]);
    expect(await shown(user)).toMatchObject({
      show_ip_in_logs: true,
      quota_warning_threshold: 5,
      notification_email: 'b@x.org',
    });
  });
});

describe('user settings', async () => {
  const site = await sharedLocalSite();
  const user = await site.aUser();

  it.each([
    [{ notify_type: 'webhook' }, 'webhook_url'],
    [{ notify_type: 'pigeon' }, 'notify_type'],
    [{ webhook_url: 'http://93.184.216.34/hook' }, 'webhook_url'],
    [{ webhook_url: 'https://127.0.0.1/hook' }, 'webhook_url'],
    [{ webhook_url: 'https://10.0.0.8/hook' }, 'webhook_url'],
    [{ webhook_url: 'nonsense' }, 'webhook_url'],
    [{ quota_warning_threshold: 0 }, 'quota_warning_threshold'],
    [{ quota_warning_threshold: -5 }, 'quota_warning_threshold'],
    [{ notification_email: 'nobody' }, 'notification_email'],
  ])('refuse %o', async (wrong, param) => {
    const sent = wrong as object; // some of it has the wrong type on purpose
    await expectRefusal(site.as(user.actor).account.changeSetting(sent), 'input_invalid', {
      param,
    });
    expect((await userById(site.ctx.db, user.id))?.setting).toBe('');
  });

  it('of other installations can be read', () => {
    const setting = `{"notify_type":"webhook","webhook_url":"${WEBHOOK}","webhook_secret":"plain"}`;
    const email = 'ann@example.com';
    expect(receiverOf(site.ctx, { id: 1, email, setting })).toMatchObject({ secret: 'plain' });
    expect(receiverOf(site.ctx, { id: 1, email, setting: 'no json' })).toEqual({
      kind: 'email',
      to: email,
    });
  });
});
