/** Notifications in the forms of chat services, against doubles that answer as their pages say. */

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { PostKind } from '../../../src/domain/notification-kinds.ts';
import { buildPost, refusalIn } from '../../../src/services/messaging/notify/post-forms.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { sharedLocalSite, sharedWebhookReceiver } from '../../support/shared-site.ts';
import { CA_FILE } from '../../support/tls.ts';

const ACCEPTED: Readonly<Record<PostKind, string>> = {
  webhook: '',
  slack: 'ok',
  discord: '',
  telegram: '{"ok":true,"result":{"message_id":5}}',
  feishu: '{"code":0,"data":{},"msg":"success"}',
  dingtalk: '{"errcode":0,"errmsg":"ok"}',
  wecom: '{"errcode":0,"errmsg":"ok"}',
};

describe('a notification for a chat service', async () => {
  const receiver = await sharedWebhookReceiver();
  const site = await sharedLocalSite('sqlite', { egressAllow: '127.0.0.1,::1', caFile: CA_FILE });
  const user = await site.aUser();

  const choose = (notify_type: PostKind, query = '', webhook_secret: string | null = null) =>
    site.as(user.actor).account.changeSetting({
      notify_type,
      webhook_url: `${receiver.url}${query}`,
      webhook_secret,
      language: 'en',
    });
  const sendTest = () => site.as(user.actor).notice.test({});
  const sent = (): unknown => JSON.parse(receiver.hooks[0]?.raw ?? '');
  const TITLE = 'Test notification';

  it.each([
    ['slack', expect.stringMatching(`^\\*${TITLE}\\*\n`), 'text'],
    ['discord', expect.stringMatching(`^\\*\\*${TITLE}\\*\\*\n`), 'content'],
  ] as const)('is a text of %s', async (kind, text, field) => {
    await choose(kind);
    receiver.answers.push({ status: kind === 'discord' ? 204 : 200, body: ACCEPTED[kind] });
    expect(await sendTest()).toEqual({ sent_to: kind });
    expect(sent()).toMatchObject({ [field]: text });
  });

  it('goes to the chat of Telegram that its address names', async () => {
    await expectRefusal(choose('telegram'), 'input_invalid', { param: 'webhook_url' });
    await choose('telegram', '?chat_id=-1001');
    receiver.answers.push({ status: 200, body: ACCEPTED.telegram });
    await sendTest();
    expect(receiver.hooks[0]?.path).toBe('/hook');
    expect(sent()).toMatchObject({ chat_id: '-1001', text: expect.stringContaining(TITLE) });
  });

  it('is signed for Feishu by time and secret', async () => {
    await choose('feishu', '', 'bot secret');
    receiver.answers.push({ status: 200, body: ACCEPTED.feishu });
    await sendTest();
    const timestamp = String(Math.floor(site.ctx.now() / 1000));
    const sign = createHmac('sha256', `${timestamp}\nbot secret`).update('').digest('base64');
    expect(sent()).toMatchObject({
      timestamp,
      sign,
      msg_type: 'text',
      content: { text: expect.stringContaining(TITLE) },
    });
  });

  it('is signed for DingTalk in the query', async () => {
    await choose('dingtalk', '?access_token=t', 'SEC1');
    receiver.answers.push({ status: 200, body: ACCEPTED.dingtalk });
    await sendTest();
    const query = new URL(receiver.hooks[0]?.path ?? '', receiver.url).searchParams;
    const nowMs = site.ctx.now();
    expect(Object.fromEntries(query)).toEqual({
      access_token: 't',
      timestamp: String(nowMs),
      sign: createHmac('sha256', 'SEC1').update(`${nowMs}\nSEC1`).digest('base64'),
    });
    expect(sent()).toMatchObject({ msgtype: 'text' });
  });

  it.each([
    ['feishu', '{"code":19021,"msg":"sign match fail"}', '200 19021 sign match fail'],
    ['dingtalk', '{"errcode":310000,"errmsg":"keywords not in content"}', /310000 keywords/],
    ['wecom', '{"errcode":93000,"errmsg":"invalid webhook url"}', /93000 invalid/],
    ['wecom', 'no json', '200'],
  ] as const)('that %s refuses with 200 is reported as %s', async (kind, body, status) => {
    await choose(kind);
    receiver.answers.push({ status: 200, body });
    const shown = typeof status === 'string' ? status : expect.stringMatching(status);
    await expectRefusal(sendTest(), 'notice_failed', { params: { status: shown } });
  });

  it('that a busy service refuses is worth a retry', () => {
    const busy = [
      ['feishu', '{"code":11232,"msg":"frequency limited"}'],
      ['dingtalk', '{"errcode":130101,"errmsg":"send too fast"}'],
      ['wecom', '{"errcode":45009,"errmsg":"api freq out of limit"}'],
    ] as const;
    for (const [kind, body] of busy)
      expect(refusalIn(kind, { status: 200, text: () => body })).toMatchObject({
        isTemporary: true,
      });
    expect(refusalIn('telegram', { status: 429, text: () => '' })?.isTemporary).toBe(true);
    expect(refusalIn('slack', { status: 404, text: () => 'no_service' })?.isTemporary).toBe(false);
  });

  it('comes into the inbox', async () => {
    const account = site.as(user.actor);
    await account.account.changeSetting({ notify_type: 'inbox' });
    expect(await sendTest()).toEqual({ sent_to: 'inbox' });
    const inbox = await account.message.inbox({});
    expect(inbox.items).toEqual([expect.objectContaining({ title: TITLE, format: 'html' })]);
    expect(receiver.hooks).toHaveLength(0);
  });
});

/** More than any service takes. */
const LONG = {
  type: 'test',
  title: 'Prices & <models>',
  content: '{{value}}',
  values: ['€'.repeat(30_000)],
};

it.each([
  ['discord', 'content', 2_000],
  ['telegram', 'text', 4_096],
] as const)('%s gets its %s of at most %i characters', (kind, field, most) => {
  const url = 'https://x.example/?chat_id=1';
  const { body } = buildPost(kind, LONG, { url, secret: '' }, 0);
  expect(JSON.parse(body)[field]).toHaveLength(most);
});

it('WeCom gets at most 2,048 bytes, without a broken character', () => {
  const { body } = buildPost('wecom', LONG, { url: 'https://x.example/', secret: '' }, 0);
  const { content } = JSON.parse(body).text;
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2_048);
  expect(content).toMatch(/€\n\.\.\.$/);
});

it('Slack gets its special characters escaped, and Discord allows no mentions', () => {
  const target = { url: 'https://x.example/', secret: '' };
  expect(JSON.parse(buildPost('slack', LONG, target, 0).body).text).toMatch(
    /^\*Prices &amp; &lt;models&gt;\*/,
  );
  expect(JSON.parse(buildPost('discord', LONG, target, 0).body).allowed_mentions).toEqual({
    parse: [],
  });
});
