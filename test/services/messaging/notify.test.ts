import { createHmac } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createLedgerWriter } from '../../../src/services/billing/ledger-writer.ts';
import { disableChannel } from '../../../src/services/channels/channel-health.ts';
import { refusalReason } from '../../../src/services/channels/channel-reasons.ts';
import { createBackground } from '../../../src/services/cluster/background-queue.ts';
import {
  notifyChannelStatus,
  notifyLowBalances,
  notifyTestRun,
} from '../../../src/services/messaging/notify/events.ts';
import { isQuietNow } from '../../../src/services/messaging/notify/receiver.ts';
import type { CloseOperation } from '../../../src/store/ledger/ledger-operations.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { type LocalSite, OPERATOR, type TestUser } from '../../support/local-site.ts';
import { aMailServer } from '../../support/mail-server.ts';
import { sharedLocalSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';

const NETWORK = { egressAllow: '127.0.0.1,::1', caFile: CA_FILE } as const;
const USD = 500_000;

const receiver = await sharedWebhookReceiver();

const bodies = () => receiver.hooks.map(({ raw }) => JSON.parse(raw) as Record<string, unknown>); // our own JSON

/** A separate process on the site's database; `end` waits for all its notices. */
function processOn(site: LocalSite) {
  const ledger = createLedgerWriter(site.databases, site.ctx.log);
  const ctx = { ...site.ctx, ledger, background: createBackground(site.ctx.log) };
  notifyLowBalances(ctx);
  return { ctx, ledger, end: () => ctx.background.drain(10_000) };
}

let calls = 0;
function charge(user: TestUser, units: number, warnBelow: number): CloseOperation {
  calls += 1;
  const key = `call:${calls}`;
  const entry = {
    key,
    cause: 'charge',
    userId: user.id,
    userUnits: -units,
    createdAtSec: 1,
  } as const;
  return { kind: 'close', requestId: key, charge: entry, warnBelow, logs: [] };
}

const settings = (site: LocalSite, { id }: TestUser, setting: object) =>
  site.ctx
    .db('users')
    .where({ id })
    .update({ setting: JSON.stringify(setting) });

const hooked = (url = receiver.url) => ({
  notify_type: 'webhook',
  webhook_url: url,
  language: 'en',
});

async function aHookedUser(
  site: LocalSite,
  quota: number,
  setting: object = {},
): Promise<TestUser> {
  const user = await site.aUser({ quota });
  await settings(site, user, { ...hooked(), ...setting });
  return user;
}

describe.each(databases)('a low balance notice on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind, NETWORK);

  it('is sent once, by the charge that crosses the threshold, with the remaining balance', async () => {
    const user = await aHookedUser(site, 10 * USD);
    const { ledger, end } = processOn(site);
    for (const units of [4 * USD, USD, USD, USD]) await ledger.close(charge(user, units, 5 * USD));
    await end();
    expect(bodies()).toEqual([
      {
        type: 'quota_exceed',
        title: 'Your quota is running low',
        content: expect.stringContaining('{{value}}'),
        values: ['$4.00', 'http://localhost:3000/app/wallet'],
        timestamp: Math.floor(site.ctx.now() / 1000),
      },
    ]);
  });

  it('is sent once when concurrent charges of two processes cross the threshold', async () => {
    const user = await aHookedUser(site, 1_000);
    const [here, there] = [processOn(site), processOn(site)];
    const charges = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? here : there).ledger.close(charge(user, 20, 500)),
    );
    await Promise.all(charges);
    await Promise.all([here.end(), there.end()]);
    expect(bodies()).toHaveLength(1);
  });

  it('is not repeated within two hours, even after another crossing', async () => {
    const user = await aHookedUser(site, 1_000);
    const cross = async () => {
      const { ledger, end } = processOn(site);
      await ledger.close(charge(user, 600, 500));
      await end();
      await site.as(OPERATOR).user.setQuota({ id: user.id, mode: 'set', units: 1_000 });
    };
    await cross();
    site.pass(7_199);
    await cross();
    expect(bodies()).toHaveLength(1);
    site.pass(1);
    await cross();
    expect(bodies()).toHaveLength(2);
  });

  it('is not sent for a repeated charge, nor if the balance stays above or was below', async () => {
    const rich = await aHookedUser(site, 1_000);
    const poor = await aHookedUser(site, 400);
    const { ledger, end } = processOn(site);
    await ledger.close(charge(rich, 500, 500));
    await ledger.close(charge(poor, 10, 500));
    const crossing = charge(rich, 10, 500);
    await ledger.close(crossing);
    await end();
    expect(bodies()).toHaveLength(1);
    const again = processOn(site);
    site.pass(7_200);
    expect(await again.ledger.close(crossing)).toBe('repeat');
    await again.end();
    expect(bodies()).toHaveLength(1);
  });
});

describe('a notice', async () => {
  const site = await sharedLocalSite('sqlite', NETWORK);

  const root = async (setting: object = hooked()) => {
    await site.ctx.db('users').where({ role: 100 }).update({ status: 2 });
    const user = await site.aUser({ role: 100 });
    await settings(site, user, setting);
    return user;
  };
  const tellAll = async (...messages: string[]) => {
    const { ctx, end } = processOn(site);
    for (const message of messages)
      notifyChannelStatus(ctx, { channelId: 7, reason: refusalReason({ status: 401, message }) });
    await end();
  };

  it('about a channel is sent to every super admin, at most twice in ten minutes', async () => {
    await root();
    await tellAll('one', 'two', 'three');
    expect(bodies()).toHaveLength(2);
    expect(bodies()[0]).toMatchObject({
      type: 'channel_update_7_3',
      title: 'A channel was disabled',
      values: ['(#7)', expect.stringMatching(/^The upstream answered 401: (one|two|three)$/)],
    });
    const { ctx, end } = processOn(site);
    notifyChannelStatus(ctx, { channelId: 7 });
    notifyTestRun(ctx, { tested: 5, failed: 2 });
    await end();
    expect(bodies().slice(2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'channel_update_7_1', values: ['(#7)'] }),
        expect.objectContaining({ type: 'channel_test', values: ['5', '3', '2'] }),
      ]),
    );
    site.pass(600);
    await tellAll('four');
    expect(bodies()).toHaveLength(5);
  });

  it('is signed and carries the secret, however the secret is stored', async () => {
    for (const stored of ['s3cret', site.ctx.secrets.encrypt('s3cret')]) {
      receiver.hooks.length = 0;
      await root({ ...hooked(), webhook_secret: stored });
      await tellAll('x');
      const [hook] = receiver.hooks;
      expect(hook?.headers.authorization).toBe('Bearer s3cret');
      expect(hook?.headers['content-type']).toBe('application/json');
      expect(hook?.headers['x-webhook-signature']).toBe(
        createHmac('sha256', 's3cret')
          .update(hook?.raw ?? '')
          .digest('hex'),
      );
    }
    receiver.hooks.length = 0;
    await root({ ...hooked(), webhook_secret: '密钥' });
    await tellAll('x');
    expect(receiver.hooks[0]?.headers).not.toHaveProperty('authorization');
    expect(receiver.hooks[0]?.headers).toHaveProperty('x-webhook-signature');
  });

  it('without a secret is unsigned', async () => {
    await root();
    await tellAll('x');
    expect(receiver.hooks[0]?.headers).not.toHaveProperty('x-webhook-signature');
  });

  it("is in the account's language, else in the site's", async () => {
    const titleFor = async (setting: object) => {
      receiver.hooks.length = 0;
      await root({ ...hooked(), ...setting });
      await tellAll('x');
      return bodies()[0]?.title;
    };
    const { option } = site.as(OPERATOR);
    expect(await titleFor({ language: 'en' })).toBe('A channel was disabled');
    expect(await titleFor({ language: undefined })).toBe('有渠道已被禁用');
    await option.set({ key: 'DefaultLanguage', value: 'en' });
    expect(await titleFor({ language: undefined })).toBe('A channel was disabled');
    expect(await titleFor({ language: 'zh' })).toBe('有渠道已被禁用');
    await option.unset({ key: 'DefaultLanguage' });
  });

  it('is retried while the receiver fails, and not when it refuses', async () => {
    await root();
    receiver.answers.push({ status: 503 }, { status: 429 });
    await tellAll('x');
    expect(receiver.hooks).toHaveLength(3);
    expect(new Set(receiver.hooks.map(({ raw }) => JSON.parse(raw).title)).size).toBe(1);
    await root();
    receiver.answers.push({ status: 404 });
    await tellAll('y');
    expect(receiver.hooks).toHaveLength(4);
  });

  it('that was not delivered does not count against the limit', async () => {
    await root();
    receiver.answers.push(...[1, 2, 3].flatMap(() => Array(3).fill({ status: 500 })));
    for (const name of ['a', 'b', 'c']) await tellAll(name);
    expect(receiver.hooks).toHaveLength(9);
    await tellAll('d', 'e', 'f');
    expect(receiver.hooks).toHaveLength(11);
  });

  it('that no attempt delivers is reported in the inbox of its receiver, once a day', async () => {
    const user = await root();
    const inbox = async () => (await site.as(user.actor).message.inbox({})).items;
    receiver.answers.push({ status: 410 }, { status: 410 });
    await tellAll('first');
    await tellAll('second');
    const [report, ...more] = await inbox();
    expect(more).toEqual([]);
    expect(report).toMatchObject({ title: 'A notification could not be delivered' });
    expect(report?.content).toMatch(/status 410[\s\S]*A channel was disabled[\s\S]*first/);
    const { account } = site.as(user.actor);
    expect(await account.self({})).toMatchObject({
      notice_failing_since: Math.floor(site.ctx.now() / 1000),
      notice_failure: expect.stringContaining('410'),
    });
    await account.changeSetting({ webhook_secret: 'another' });
    expect(await account.self({})).toMatchObject({ notice_failing_since: 0, notice_failure: '' });
    site.pass(86_400);
    receiver.answers.push({ status: 410 });
    await tellAll('third');
    expect(await inbox()).toHaveLength(2);
  });

  it.each([
    [{ from: 22, to: 8 }, '2026-11-21T23:00:00Z', true],
    [{ from: 22, to: 8 }, '2026-11-21T07:59:59Z', true],
    [{ from: 22, to: 8 }, '2026-11-21T08:00:00Z', false],
    [{ from: 9, to: 17, time_zone: 'Asia/Shanghai' }, '2026-11-21T01:00:00Z', true],
    [{ from: 9, to: 17, time_zone: 'Asia/Shanghai' }, '2026-11-21T09:00:00Z', false],
    [{ from: 0, to: 0 }, '2026-11-21T00:30:00Z', false],
  ])('within the quiet hours %o at %s waits in the inbox: %s', (quiet, at, expected) => {
    const setting = JSON.stringify({ quiet_hours: { time_zone: '', ...quiet } });
    expect(isQuietNow({ setting }, Date.parse(at))).toBe(expected);
  });

  it('within the quiet hours goes to the inbox alone', async () => {
    const hour = new Date(site.ctx.now()).getUTCHours();
    const quiet_hours = { from: hour, to: (hour + 1) % 24, time_zone: 'UTC' };
    const user = await root({ ...hooked(), quiet_hours });
    await tellAll('x');
    expect(receiver.hooks).toHaveLength(0);
    const { items } = await site.as(user.actor).message.inbox({});
    expect(items).toEqual([expect.objectContaining({ title: 'A channel was disabled' })]);
  });

  it('is never sent to a private address, even through a redirect', async () => {
    const port = new URL(receiver.url).port;
    for (const url of [`https://127.0.0.2:${port}/`, `http://localhost:${port}/`]) {
      await root(hooked(url));
      await tellAll('x');
    }
    expect(receiver.hooks).toHaveLength(0);
    await root();
    receiver.answers.push({ status: 307, location: `https://127.0.0.2:${port}/` });
    await tellAll('x');
    expect(receiver.hooks).toHaveLength(1);
    receiver.answers.push({ status: 308, location: `http://localhost:${port}/` });
    await root();
    await tellAll('x');
    expect(receiver.hooks).toHaveLength(2);
  });

  it('uses the fetch proxy if there is one', async () => {
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'WorkerUrl', value: receiver.url });
    await option.set({ key: 'WorkerValidKey', value: 'worker key' });
    await root({ ...hooked('https://hooks.example/in'), webhook_secret: 's3cret' });
    await tellAll('x');
    await root(hooked('https://10.0.0.1/in'));
    await tellAll('x');
    await root(hooked('http://hooks.example/in'));
    await tellAll('x');
    await option.set({ key: 'WorkerUrl', value: '' });
    expect(receiver.hooks).toHaveLength(1);
    const [order] = bodies();
    expect(order).toMatchObject({
      url: 'https://hooks.example/in',
      key: 'worker key',
      method: 'POST',
      headers: { Authorization: 'Bearer s3cret' },
      body: { type: 'channel_update_7_3' },
    });
    const signature = createHmac('sha256', 's3cret').update(JSON.stringify(order?.body));
    expect(order?.headers).toMatchObject({ 'X-Webhook-Signature': signature.digest('hex') });
  });
});

describe('a notice by mail', async () => {
  const site = await sharedLocalSite('sqlite', NETWORK);
  const mail = await aMailServer();
  const { option } = site.as(OPERATOR);
  await option.set({ key: 'DefaultLanguage', value: 'en' });
  await option.set({ key: 'SMTPServer', value: 'localhost' });
  await option.set({ key: 'SMTPPort', value: mail.port });
  await option.set({ key: 'SMTPFrom', value: 'site@site.example' });
  afterAll(() => mail.close());
  afterEach(() => {
    mail.letters.length = 0;
  });

  const warn = async (user: TestUser, units = 600) => {
    const { ledger, end } = processOn(site);
    await ledger.close(charge(user, units, 500));
    await end();
  };

  it("is sent to the notice address, else to the account's, else not at all", async () => {
    const other = await site.aUser({ quota: 1_000, email: 'a@mail.example' });
    await settings(site, other, { notification_email: 'b@mail.example' });
    const own = await site.aUser({ quota: 1_000, email: 'c@mail.example' });
    const none = await site.aUser({ quota: 1_000 });
    const banned = await site.aUser({ quota: 1_000, email: 'd@mail.example' });
    await site.ctx.db('users').where({ id: banned.id }).update({ status: 2 });
    for (const user of [other, own, none, banned]) await warn(user);
    expect(mail.letters.map(({ to }) => to)).toEqual([['b@mail.example'], ['c@mail.example']]);
    expect(mail.letters[0]?.text).toContain('http://localhost:3000/app/wallet');
    expect(mail.letters[0]?.html).toContain('<a href="http://localhost:3000/app/wallet">');
    expect(mail.letters[0]?.text).not.toContain('{{');
  });

  it('states when nothing is left', async () => {
    await warn(await site.aUser({ quota: 1_000, email: 'e@mail.example' }), 1_000);
    expect(mail.letters[0]?.subject).toBe('Your quota is used up');
  });

  it('contains names and reasons as text, never as HTML', async () => {
    await site.aUser({ role: 100, email: 'root@mail.example' });
    const { ctx, end } = processOn(site);
    const { id } = await site.aChannel({ name: '<img src=x>' });
    const reason = refusalReason({ status: 401, message: '"a" & <b>' });
    expect(await disableChannel(ctx, { channelId: id, reason })).toBe(true);
    expect(await disableChannel(ctx, { channelId: id, reason })).toBe(false);
    await end();
    expect(mail.letters).toHaveLength(1);
    expect(mail.letters[0]?.html).toContain(`&lt;img src=x&gt; (#${id})`);
    expect(mail.letters[0]?.html).toContain('&quot;a&quot; &amp; &lt;b&gt;');
    expect(mail.letters[0]?.text).toContain('<img src=x>');
  });

  it('for a test is delivered or reports the reason', async () => {
    const user = await site.aUser({ email: 'me@mail.example' });
    expect(await site.as(user.actor).notice.test({})).toEqual({ sent_to: 'email' });
    expect(mail.letters[0]?.to).toEqual(['me@mail.example']);
    await settings(site, user, { ...hooked() });
    receiver.answers.push({ status: 204 }, { status: 500 });
    expect(await site.as(user.actor).notice.test({})).toEqual({ sent_to: 'webhook' });
    await expectRefusal(site.as(user.actor).notice.test({}), 'notice_failed', {
      params: { status: '500' },
    });
    expect(receiver.hooks).toHaveLength(2);
    await settings(site, user, hooked('https://192.168.0.1/'));
    await expectRefusal(site.as(user.actor).notice.test({}), 'fetch_refused');
    const other = await site.aUser();
    await expectRefusal(site.as(other.actor).notice.test({}), 'notice_address_missing');
  });

  it("for a mail server test shows the super admin the server's message", async () => {
    const admin = site.as(OPERATOR).notice;
    await admin.testMail({ email: 'someone@mail.example' });
    expect(mail.letters[0]).toMatchObject({ to: ['someone@mail.example'], subject: 'Test mail' });
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'SMTPAccount', value: 'robot' });
    await option.set({ key: 'SMTPToken', value: 'wrong' });
    await expectRefusal(admin.testMail({ email: 'someone@mail.example' }), 'mail_failed', {
      params: { problem: expect.stringMatching(/reported "535/) },
    });
  });
});
