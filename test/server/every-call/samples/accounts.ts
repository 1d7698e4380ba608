/** Samples of account calls: registration, sign-in, the own account, users, messages, notices. */
import bcrypt from 'bcryptjs';
import type { accountCalls } from '../../../../src/api/accounts/account.ts';
import type { groupCalls } from '../../../../src/api/accounts/group.ts';
import type { userCalls } from '../../../../src/api/accounts/user.ts';
import type { messageCalls } from '../../../../src/api/messaging/message.ts';
import type { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import type { setupCalls } from '../../../../src/api/site/setup.ts';
import type { statusCalls } from '../../../../src/api/site/status.ts';
import { setupLink } from '../../../../src/services/site/setup-code.ts';
import { codeIn } from '../../../support/account-mail.ts';
import { codeOf } from '../../../support/setup-link.ts';
import type { Walker } from '../walker.ts';
import { By, type SamplesOf } from './sample.ts';

const PASSWORD = 'right password';
/** Quickly computed, and accepted like any other. */
export const quickHash = () => bcrypt.hash(PASSWORD, 4);

export const status: SamplesOf<typeof statusCalls> = { get: {}, test: {} };

export const setup: SamplesOf<typeof setupCalls> = {
  state: {},
  run: async (walker) => {
    const empty = await walker.emptySite();
    return new By(walker.stranger(empty), {
      username: 'root',
      password: PASSWORD,
      confirmPassword: PASSWORD,
      code: codeOf(await setupLink(empty.ctx, empty.url)),
    });
  },
};

export const account: SamplesOf<typeof accountCalls> = {
  register: (walker) => ({ username: walker.fresh('new'), password: PASSWORD }),
  login: async (walker) => {
    const { user } = await walker.someone({ password: await quickHash() });
    return new By(walker.stranger(), { username: user.username, password: PASSWORD });
  },
  logout: async (walker) => new By(await walker.someone(), {}),
  sendCode: (walker) => ({ email: freshAddress(walker) }),
  requestReset: async (walker) => ({ email: (await withAddress(walker)).email }),
  resetPassword: async (walker) => {
    const { email } = await withAddress(walker);
    await walker.person(0).browser.ask('GET', '/api/reset_password', { query: { email } });
    const { text } = await walker.letterTo(email);
    return { email, token: /token=(\w+)/.exec(text)?.[1] ?? '' };
  },
  bindEmail: async (walker) => {
    const email = freshAddress(walker);
    await walker.api.account.sendCode({ email });
    return new By(await walker.someone(), { email, code: codeIn(await walker.letterTo(email)) });
  },
  self: {},
  editSelf: { display_name: 'Walker' },
  closeSelf: async (walker) => new By(await walker.someone(), {}),
  confirm: async (walker) =>
    new By(await walker.someone({ password: await quickHash() }), { password: PASSWORD }),
  offeredGroups: {},
  groups: {},
  models: {},
  newToken: async (walker) => new By(await walker.someone(), {}),
  endToken: async (walker) => new By(await walker.someone(), {}),
  changeSetting: { quota_warning_threshold: 1000, show_ip_in_logs: true },
  sessions: {},
  endSessions: async (walker) => new By(await walker.someone(), { keep_current: true }),
  affCode: {},
  transferAff: async (walker) => {
    const inviter = await walker.someone();
    const { data: aff_code } = (await inviter.browser.ask('GET', '/api/user/aff')).body;
    const username = walker.fresh('guest');
    await walker.api.account.register({ username, password: PASSWORD, aff_code });
    return new By(inviter, { quota: 500_000 });
  },
  checkInStatus: {},
  checkIn: async (walker) => new By(await walker.someone(), {}),
};

export const user: SamplesOf<typeof userCalls> = {
  list: {},
  search: { keyword: 'user' },
  get: ({ site }) => ({ id: site.user.id }),
  getByName: ({ site }) => ({ username: site.user.username }),
  create: (walker) => ({ username: walker.fresh('made'), password: PASSWORD }),
  edit: async (walker) => ({ id: await someId(walker), display_name: 'Edited' }),
  setQuota: async (walker) => ({ id: await someId(walker), mode: 'add', units: 5 }),
  manage: async (walker) => ({ id: await someId(walker), action: 'disable' }),
  setPassword: async (walker) => {
    const someone = await walker.someone();
    return new By(someone, { id: someone.user.id, password: PASSWORD });
  },
  remove: async (walker) => ({ id: await someId(walker) }),
  newAccessToken: async (walker) => ({ id: await someId(walker) }),
};

export const group: SamplesOf<typeof groupCalls> = {
  names: {},
  list: {},
  set: (walker) => ({ name: walker.fresh('group'), ratio: 0.5, selectable: true, label: 'Half' }),
  remove: async (walker) => {
    const { name } = await walker.api.group.set({ name: walker.fresh('group') });
    return { name };
  },
};

export const message: SamplesOf<typeof messageCalls> = {
  list: async (walker) => {
    await aMessage(walker);
    return {};
  },
  search: async (walker) => {
    await aMessage(walker);
    return { keyword: 'walk' };
  },
  get: aMessage,
  create: ({ site }) => ({ title: 'Hello', content: 'World', user_ids: [site.user.id] }),
  edit: async (walker) => ({ ...(await aMessage(walker)), title: 'Edited', content: 'Text' }),
  remove: aMessage,
  recipients: aMessage,
  inbox: async (walker) => {
    await aMessage(walker);
    return {};
  },
  unreadCount: {},
  read: aMessage,
  markRead: aMessage,
};

export const notice: SamplesOf<typeof noticeCalls> = {
  test: async (walker) => new By(await withAddress(walker), {}),
  testMail: (walker) => ({ email: freshAddress(walker) }),
};

function freshAddress(walker: Walker): string {
  return `${walker.fresh('walker')}@mail.example`;
}

async function withAddress(walker: Walker) {
  const email = freshAddress(walker);
  return { ...(await walker.someone({ email })), email };
}

async function someId({ site }: Walker): Promise<number> {
  return (await site.addUser()).id;
}

/** A message to the site's user. */
async function aMessage({ api, site }: Walker): Promise<{ id: number }> {
  const sent = { title: 'A walk', content: 'through the calls', user_ids: [site.user.id] };
  const { id } = await api.message.create(sent);
  return { id };
}
