/** Samples of third-party sign-in, from the first click to the response. */
import { createHash, createHmac } from 'node:crypto';
import type { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { BOT_TOKEN, type Fixtures, type Person } from '../fixtures.ts';
import { quickHash } from './accounts.ts';
import { By, type SamplesOf } from './sample.ts';

export const oauth: SamplesOf<typeof oauthCalls> = {
  state: (fixtures) => new By(fixtures.anonymous(), {}),
  start: (fixtures) => new By(fixtures.anonymous(), { provider: 'github', return_to: '/app/me' }),
  github: (fixtures) => cameBack(fixtures, 'github', { id: someNumber(fixtures), login: 'octo' }),
  discover: ({ site }) => ({ url: site.ctx.options().get('oidc.well_known') }),
  oidc: (fixtures) => cameBack(fixtures, 'oidc', { sub: fixtures.fresh('sub') }),
  linuxdo: (fixtures) =>
    cameBack(fixtures, 'linuxdo', {
      id: someNumber(fixtures),
      username: 'linus',
      active: true,
      trust_level: 3,
    }),
  wechat: (fixtures) => withState(fixtures.anonymous(), { code: wechatCode(fixtures) }),
  postWechat: (fixtures) => new By(fixtures.anonymous(), { code: wechatCode(fixtures) }),
  bindWechat: async (fixtures) =>
    withState(await fixtures.someone(), { code: wechatCode(fixtures) }),
  postBindWechat: async (fixtures) =>
    new By(await fixtures.someone(), { code: wechatCode(fixtures) }),
  telegram: async (fixtures) => {
    const { widget } = await withTelegram(fixtures);
    return withState(fixtures.anonymous(), widget);
  },
  postTelegram: async (fixtures) => {
    const { widget } = await withTelegram(fixtures);
    return new By(fixtures.anonymous(), widget);
  },
  bindTelegram: async (fixtures) => withState(await fixtures.someone(), telegramWidget(fixtures)),
  postBindTelegram: async (fixtures) => new By(await fixtures.someone(), telegramWidget(fixtures)),
  unbind: async (fixtures) => {
    const { person } = await withTelegram(fixtures);
    return new By(person, { provider: 'telegram' });
  },
};

function someNumber(fixtures: Fixtures): number {
  return Number(fixtures.fresh('7'));
}

/** A browser returns from the provider, with its code and the gateway's state. */
async function cameBack(
  fixtures: Fixtures,
  provider: 'github' | 'oidc' | 'linuxdo',
  user: Readonly<Record<string, unknown>>,
) {
  const person = fixtures.anonymous();
  const begun = await person.browser.send('GET', `/api/oauth/${provider}/start`);
  const { url, state } = begun.body.data as { url: string; state: string };
  const fields = new URL(url).searchParams;
  const code = fixtures.fake.grant({
    user,
    challenge: fields.get('code_challenge') ?? '',
    claims: { nonce: fields.get('nonce') ?? undefined },
  });
  return new By(person, { code, state });
}

/** As on the login page: the browser's cookie has a state. */
async function withState<I>(person: Person, input: I): Promise<By<I & { state: string }>> {
  const { body } = await person.browser.send('GET', '/api/oauth/state');
  return new By(person, { ...input, state: body.data });
}

function wechatCode(fixtures: Fixtures): string {
  return fixtures.fake.grant({ user: { id: fixtures.fresh('wechat') } });
}

/** The signed data of Telegram's widget. */
function telegramWidget(fixtures: Fixtures) {
  const fields = {
    auth_date: String(Math.floor(Date.now() / 1000)),
    first_name: 'Ada',
    id: fixtures.fresh('88'),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHash('sha256').update(BOT_TOKEN).digest();
  return { ...fields, hash: createHmac('sha256', key).update(lines.join('\n')).digest('hex') };
}

/** A user with a bound Telegram account and a password. */
async function withTelegram(fixtures: Fixtures) {
  const person = await fixtures.someone({ password: await quickHash() });
  const widget = telegramWidget(fixtures);
  await person.browser.send('POST', '/api/oauth/telegram/bind', { body: widget });
  return { person, widget };
}
