/** Samples of third-party sign-in, from the first click to the response. */
import { createHash, createHmac } from 'node:crypto';
import type { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { BOT_TOKEN, type Person, type Walker } from '../walker.ts';
import { quickHash } from './accounts.ts';
import { By, type SamplesOf } from './sample.ts';

export const oauth: SamplesOf<typeof oauthCalls> = {
  state: (walker) => new By(walker.stranger(), {}),
  start: (walker) => new By(walker.stranger(), { provider: 'github', return_to: '/app/me' }),
  github: (walker) => cameBack(walker, 'github', { id: someNumber(walker), login: 'octo' }),
  discover: ({ site }) => ({ url: site.ctx.options().get('oidc.well_known') }),
  oidc: (walker) => cameBack(walker, 'oidc', { sub: walker.fresh('sub') }),
  linuxdo: (walker) =>
    cameBack(walker, 'linuxdo', {
      id: someNumber(walker),
      username: 'linus',
      active: true,
      trust_level: 3,
    }),
  wechat: (walker) => withState(walker.stranger(), { code: wechatCode(walker) }),
  postWechat: (walker) => new By(walker.stranger(), { code: wechatCode(walker) }),
  bindWechat: async (walker) => withState(await walker.someone(), { code: wechatCode(walker) }),
  postBindWechat: async (walker) => new By(await walker.someone(), { code: wechatCode(walker) }),
  telegram: async (walker) => {
    const { widget } = await withTelegram(walker);
    return withState(walker.stranger(), widget);
  },
  postTelegram: async (walker) => {
    const { widget } = await withTelegram(walker);
    return new By(walker.stranger(), widget);
  },
  bindTelegram: async (walker) => withState(await walker.someone(), telegramWidget(walker)),
  postBindTelegram: async (walker) => new By(await walker.someone(), telegramWidget(walker)),
  unbind: async (walker) => {
    const { person } = await withTelegram(walker);
    return new By(person, { provider: 'telegram' });
  },
};

function someNumber(walker: Walker): number {
  return Number(walker.fresh('7'));
}

/** A browser returns from the provider, with its code and the gateway's state. */
async function cameBack(
  walker: Walker,
  provider: 'github' | 'oidc' | 'linuxdo',
  user: Readonly<Record<string, unknown>>,
) {
  const person = walker.stranger();
  const begun = await person.browser.ask('GET', `/api/oauth/${provider}/start`);
  const { url, state } = begun.body.data as { url: string; state: string };
  const fields = new URL(url).searchParams;
  const code = walker.fake.grant({
    user,
    challenge: fields.get('code_challenge') ?? '',
    claims: { nonce: fields.get('nonce') ?? undefined },
  });
  return new By(person, { code, state });
}

/** As on the login page: the browser's cookie has a state. */
async function withState<I>(person: Person, input: I): Promise<By<I & { state: string }>> {
  const { body } = await person.browser.ask('GET', '/api/oauth/state');
  return new By(person, { ...input, state: body.data });
}

function wechatCode(walker: Walker): string {
  return walker.fake.grant({ user: { id: walker.fresh('wechat') } });
}

/** The signed data of Telegram's widget. */
function telegramWidget(walker: Walker) {
  const fields = {
    auth_date: String(Math.floor(Date.now() / 1000)),
    first_name: 'Ada',
    id: walker.fresh('88'),
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHash('sha256').update(BOT_TOKEN).digest();
  return { ...fields, hash: createHmac('sha256', key).update(lines.join('\n')).digest('hex') };
}

/** A user with a bound Telegram account and a password. */
async function withTelegram(walker: Walker) {
  const person = await walker.someone({ password: await quickHash() });
  const widget = telegramWidget(walker);
  await person.browser.ask('POST', '/api/oauth/telegram/bind', { body: widget });
  return { person, widget };
}
