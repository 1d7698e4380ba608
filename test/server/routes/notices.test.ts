import { afterAll, describe, expect, it } from 'vitest';
import { apiClient, signedIn } from '../../support/api-client.ts';
import { aMailServer } from '../../support/mail-server.ts';
import { sharedSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { CA_FILE } from '../../support/tls.ts';

describe('a test notice', async () => {
  const mail = await aMailServer();
  const receiver = await sharedWebhookReceiver();
  const site = await sharedSite({ config: { egressAllow: '127.0.0.1,::1', caFile: CA_FILE } });
  const { option } = site.as(OPERATOR);
  await option.set({ key: 'SMTPServer', value: 'localhost' });
  await option.set({ key: 'SMTPPort', value: mail.port });
  await option.set({ key: 'SMTPFrom', value: 'site@site.example' });
  afterAll(() => mail.close());

  it("is sent to the signed-in user's notice destination", async () => {
    const browser = await signedIn(site, site.user);
    const setting = { notify_type: 'webhook', webhook_url: receiver.url, webhook_secret: 's3cret' };
    const saved = await browser.send('PUT', '/api/user/setting', { body: setting });
    expect(saved.body).toMatchObject({ success: true });
    const reply = await browser.send('POST', '/api/user/setting/test', { body: {} });
    expect(reply.body).toMatchObject({ success: true, data: { sent_to: 'webhook' } });
    expect(receiver.hooks[0]?.headers.authorization).toBe('Bearer s3cret');
    expect(JSON.parse(receiver.hooks[0]?.raw ?? '')).toMatchObject({ type: 'test' });
    receiver.answers.push({ status: 500 });
    const failed = await browser.send('POST', '/api/user/setting/test', { body: {} });
    expect([failed.status, failed.body.success]).toEqual([200, false]);
    expect(failed.body.message).toContain('接收方返回 500');
  });

  it('is available to signed-in users, and for the mail server to super admins', async () => {
    const guest = await apiClient(site).send('POST', '/api/user/setting/test', { body: {} });
    expect(guest.status).toBe(401);
    const body = { email: 'someone@mail.example' };
    const admin = await signedIn(site, await site.addUser({ role: 10 }));
    const denied = await admin.send('POST', '/api/option/test_mail', { body });
    expect(denied.body.success).toBe(false);
    expect(mail.letters).toHaveLength(0);
    const root = await signedIn(site, await site.addUser({ role: 100 }));
    const sent = await root.send('POST', '/api/option/test_mail', { body });
    expect(sent.body).toMatchObject({ success: true });
    expect(mail.letters[0]?.to).toEqual(['someone@mail.example']);
  });
});
