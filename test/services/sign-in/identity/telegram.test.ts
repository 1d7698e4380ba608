import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { nowSec } from '../../../../src/context.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { BOT_TOKEN, sharedSignInSite } from './sign-in-site.ts';

type Fields = Readonly<Record<string, string | number>>;

/** Signs like the widget: all fields, sorted, one per line. */
function signed(fields: Fields, token = BOT_TOKEN) {
  const text = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHash('sha256').update(token).digest();
  const hash = createHmac('sha256', key).update(text).digest('hex');
  return { ...fields, hash } as never as Parameters<typeof widgetShape>[0];
}

function widgetShape(fields: { id: number; auth_date: number; hash: string }) {
  return fields;
}

describe('sign-in with Telegram', async () => {
  const site = await sharedSignInSite();
  const userId = (await site.aUser({ ids: { telegram_id: '4711' } })).id;

  const person = (change: Fields = {}): Fields => ({
    id: 4711,
    first_name: 'Ada & Co',
    username: 'ada',
    photo_url: 'https://t.me/i/userpic/320/ada.jpg',
    auth_date: nowSec(site.ctx),
    ...change,
  });
  const login = (fields: Parameters<typeof widgetShape>[0]) =>
    site.browser().call('postTelegram', fields);

  it('signs in to the account it is bound to', async () => {
    const browser = site.browser();
    const user = await browser.call('postTelegram', signed(person()));
    expect(user.id).toBe(userId);
    expect(await browser.userId()).toBe(userId);
  });

  it("accepts the widget's URL parameters, with the language signed or not", async () => {
    const texts = Object.fromEntries(
      Object.entries(person()).map(([name, value]) => [name, String(value)]),
    );
    expect(await login(signed(texts))).toMatchObject({ id: userId });
    expect(await login({ ...signed(texts), lang: 'en' } as never)).toMatchObject({ id: userId });
    expect(await login(signed({ ...texts, lang: 'en' }))).toMatchObject({ id: userId });
  });

  it('creates no account for an unbound identity', async () => {
    await expectRefusal(login(signed(person({ id: 1 }))), 'oauth_unbound');
  });

  it.each([
    ['another bot signed it', () => signed(person(), 'another:bot')],
    ['the id was changed', () => ({ ...signed(person({ id: 1 })), id: 4711 })],
    ['a field was added', () => ({ ...signed(person()), last_name: 'Lovelace' })],
    ['a field was left out', () => ({ ...signed(person()), username: undefined })],
    ['the hash is empty', () => ({ ...signed(person()), hash: '' })],
    ['the hash is cut', () => ({ ...signed(person()), hash: signed(person()).hash.slice(0, 32) })],
    ['it is older than a day', () => signed(person({ auth_date: nowSec(site.ctx) - 86_401 }))],
    ['it is of the future', () => signed(person({ auth_date: nowSec(site.ctx) + 3_600 }))],
    ['its time is no time', () => signed(person({ auth_date: 'soon' }))],
    ['its id is no number', () => signed(person({ id: '4711x' }))],
  ])('is refused when %s', async (_, fields) => {
    await expectRefusal(login(fields() as never), 'oauth_signature_wrong');
  });

  it('refuses a value that contains a line break', async () => {
    const call = login(signed(person({ id: '4711\nlang=en' })));
    await expectRefusal(call, 'input_invalid', { param: 'id' });
  });

  it('is valid for a day', async () => {
    expect(await login(signed(person({ auth_date: nowSec(site.ctx) - 86_399 })))).toMatchObject({
      id: userId,
    });
  });

  it('refuses a banned user', async () => {
    const banned = await site.aUser({ ids: { telegram_id: '666' } });
    await site.ctx.db('users').where({ id: banned.id }).update({ status: 2 });
    await expectRefusal(login(signed(person({ id: 666 }))), 'account_banned');
  });

  it('by GET requires a browser that started the sign-in', async () => {
    const browser = site.browser();
    const wrong = { code: 'oauth_state_invalid' };
    await expect(browser.call('telegram', signed(person()))).rejects.toMatchObject(wrong);
    await browser.call('state', {});
    expect(await browser.call('telegram', signed(person()))).toMatchObject({ id: userId });
  });

  it('binds and redirects to the personal page; an identity of another account stays there', async () => {
    const browser = site.browser();
    const user = await site.aUser();
    await browser.signInAs(user.id);
    const state = await browser.call('state', {});
    const given = { ...signed(person({ id: 5 })), state };
    expect(await browser.call('bindTelegram', given)).toBe('/app/me');
    expect(await site.ctx.db('users').where({ telegram_id: '5' }).first()).toMatchObject({
      id: user.id,
    });
    await expectRefusal(browser.call('postBindTelegram', signed(person())), 'identity_taken');
  });

  it('is refused without a bot token, whatever the signature', async () => {
    await site.ctx.db('options').where({ key: 'TelegramBotToken' }).delete();
    await site.option('TelegramBotName', 'a_bot');
    await expectRefusal(login(signed(person(), '')), 'oauth_signature_wrong');
    await site.option('TelegramBotToken', BOT_TOKEN);
  });
});
