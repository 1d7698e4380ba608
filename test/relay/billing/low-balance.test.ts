import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedWebhookReceiver } from '../../support/shared-site.ts';
import { aSite, eventually, type Site } from '../../support/site.ts';
import { CA_FILE } from '../../support/tls.ts';

const TEN_USD = 5_000_000;

describe('a call that takes the balance below the threshold', async () => {
  const receiver = await sharedWebhookReceiver();
  let site: Site;
  beforeAll(async () => {
    site = await aSite({
      config: { egressAllow: '127.0.0.1,::1', caFile: CA_FILE },
      options: { QuotaRemindThreshold: TEN_USD },
    });
  });
  afterAll(() => site.close());

  const chat = (key: string) =>
    site.call({ key, body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] } });
  const hookedUser = async (setting: object) => {
    const user = await site.addUser();
    const stored = JSON.stringify({
      notify_type: 'webhook',
      webhook_url: receiver.url,
      ...setting,
    });
    await site.ctx.db('users').where({ id: user.id }).update({ setting: stored });
    return { user, token: await site.addToken({ owner: user }) };
  };

  it("triggers a notice with the remaining balance, by the user's own threshold", async () => {
    const site1 = await hookedUser({});
    const own = await hookedUser({ quota_warning_threshold: TEN_USD - 1_000_000 });
    expect((await chat(own.token.key)).status).toBe(200);
    expect((await chat(site1.token.key)).status).toBe(200);
    expect((await chat(site1.token.key)).status).toBe(200);
    const [hook] = await eventually('a notice', () => receiver.hooks.length > 0 && receiver.hooks);
    expect(JSON.parse(hook?.raw ?? '')).toMatchObject({ type: 'quota_exceed' });
    const claims = await site.ctx.db('notices').pluck('user_id');
    expect(claims.map(Number)).toEqual([site1.user.id]);
    expect(receiver.hooks).toHaveLength(1);
  });

  it('triggers a notice even when the server stops right after it', async () => {
    const { token } = await hookedUser({});
    const before = receiver.hooks.length;
    await chat(token.key);
    await site.serving.stop();
    expect(receiver.hooks).toHaveLength(before + 1);
  });
});
