/** Samples of account calls: registration, sign-in, the own account, users, messages, notices. */
import bcrypt from 'bcryptjs';
import type { accountCalls } from '../../../../src/api/accounts/account.ts';
import type { groupCalls } from '../../../../src/api/accounts/group.ts';
import type { userCalls } from '../../../../src/api/accounts/user.ts';
import type { destinationCalls } from '../../../../src/api/messaging/destination.ts';
import type { messageCalls } from '../../../../src/api/messaging/message.ts';
import type { noticeCalls } from '../../../../src/api/messaging/notice.ts';
import type { setupCalls } from '../../../../src/api/site/setup.ts';
import type { statusCalls } from '../../../../src/api/site/status.ts';
import { setupLink } from '../../../../src/services/site/setup-code.ts';
import { codeIn } from '../../../support/account-mail.ts';
import { codeOf } from '../../../support/setup-link.ts';
import type { Fixtures } from '../fixtures.ts';
import { By, type SamplesOf } from './sample.ts';

const PASSWORD = 'right password';
/** Quickly computed, and accepted like any other. */
export const quickHash = () => bcrypt.hash(PASSWORD, 4);

export const status: SamplesOf<typeof statusCalls> = { get: {}, test: {} };

export const setup: SamplesOf<typeof setupCalls> = {
  state: {},
  run: async (fixtures) => {
    const empty = await fixtures.emptySite();
    return new By(fixtures.anonymous(empty), {
      username: 'root',
      password: PASSWORD,
      confirmPassword: PASSWORD,
      code: codeOf(await setupLink(empty.ctx, empty.url)),
    });
  },
};

export const account: SamplesOf<typeof accountCalls> = {
  register: (fixtures) => ({ username: fixtures.fresh('new'), password: PASSWORD }),
  login: async (fixtures) => {
    const { user } = await fixtures.someone({ password: await quickHash() });
    return new By(fixtures.anonymous(), { username: user.username, password: PASSWORD });
  },
  logout: async (fixtures) => new By(await fixtures.someone(), {}),
  sendCode: (fixtures) => ({ email: freshAddress(fixtures) }),
  requestReset: async (fixtures) => ({ email: (await withAddress(fixtures)).email }),
  resetPassword: async (fixtures) => {
    const { email } = await withAddress(fixtures);
    await fixtures.person(0).browser.send('GET', '/api/reset_password', { query: { email } });
    const { text } = await fixtures.letterTo(email);
    return { email, token: /token=(\w+)/.exec(text)?.[1] ?? '' };
  },
  bindEmail: async (fixtures) => {
    const email = freshAddress(fixtures);
    await fixtures.api.account.sendCode({ email });
    return new By(await fixtures.someone(), {
      email,
      code: codeIn(await fixtures.letterTo(email)),
    });
  },
  self: {},
  editSelf: { display_name: 'Walker' },
  closeSelf: async (fixtures) => new By(await fixtures.someone(), {}),
  confirm: async (fixtures) =>
    new By(await fixtures.someone({ password: await quickHash() }), { password: PASSWORD }),
  offeredGroups: {},
  groups: {},
  models: {},
  newToken: async (fixtures) => new By(await fixtures.someone(), {}),
  endToken: async (fixtures) => new By(await fixtures.someone(), {}),
  changeSetting: { quota_warning_threshold: 1000, show_ip_in_logs: true },
  sessions: {},
  endSessions: async (fixtures) => new By(await fixtures.someone(), { keep_current: true }),
  affCode: {},
  transferAff: async (fixtures) => {
    const inviter = await fixtures.someone();
    const { data: aff_code } = (await inviter.browser.send('GET', '/api/user/aff')).body;
    const username = fixtures.fresh('guest');
    await fixtures.api.account.register({ username, password: PASSWORD, aff_code });
    return new By(inviter, { quota: 500_000 });
  },
  checkInStatus: {},
  checkIn: async (fixtures) => new By(await fixtures.someone(), {}),
};

export const user: SamplesOf<typeof userCalls> = {
  list: {},
  search: { keyword: 'user' },
  get: ({ site }) => ({ id: site.user.id }),
  getByName: ({ site }) => ({ username: site.user.username }),
  create: (fixtures) => ({ username: fixtures.fresh('made'), password: PASSWORD }),
  edit: async (fixtures) => ({ id: await someId(fixtures), display_name: 'Edited' }),
  setQuota: async (fixtures) => ({ id: await someId(fixtures), mode: 'add', units: 5 }),
  topUp: async (fixtures) => ({ user_id: await someId(fixtures), quota: 5 }),
  manage: async (fixtures) => ({ id: await someId(fixtures), action: 'disable' }),
  setPassword: async (fixtures) => {
    const someone = await fixtures.someone();
    return new By(someone, { id: someone.user.id, password: PASSWORD });
  },
  remove: async (fixtures) => ({ id: await someId(fixtures) }),
  newAccessToken: async (fixtures) => ({ id: await someId(fixtures) }),
};

export const group: SamplesOf<typeof groupCalls> = {
  names: {},
  list: {},
  set: (fixtures) => ({
    name: fixtures.fresh('group'),
    ratio: 0.5,
    selectable: true,
    label: 'Half',
  }),
  remove: async (fixtures) => {
    const { name } = await fixtures.api.group.set({ name: fixtures.fresh('group') });
    return { name };
  },
};

export const message: SamplesOf<typeof messageCalls> = {
  list: async (fixtures) => {
    await aMessage(fixtures);
    return {};
  },
  search: async (fixtures) => {
    await aMessage(fixtures);
    return { keyword: 'walk' };
  },
  get: aMessage,
  create: ({ site }) => ({ title: 'Hello', content: 'World', user_ids: [site.user.id] }),
  edit: async (fixtures) => ({ ...(await aMessage(fixtures)), title: 'Edited', content: 'Text' }),
  remove: aMessage,
  recipients: aMessage,
  inbox: async (fixtures) => {
    await aMessage(fixtures);
    return {};
  },
  unreadCount: {},
  read: aMessage,
  markRead: aMessage,
};

export const notice: SamplesOf<typeof noticeCalls> = {
  test: async (fixtures) => new By(await withAddress(fixtures), {}),
  testMail: (fixtures) => ({ email: freshAddress(fixtures) }),
};

export const destination: SamplesOf<typeof destinationCalls> = {
  list: async (fixtures) => {
    await aDestination(fixtures);
    return {};
  },
  save: aNewDestination,
  remove: aDestination,
  test: aDestination,
};

function aNewDestination(fixtures: Fixtures) {
  return {
    name: fixtures.fresh('operators'),
    kind: 'email',
    address: freshAddress(fixtures),
  } as const;
}

async function aDestination(fixtures: Fixtures): Promise<{ name: string }> {
  const made = aNewDestination(fixtures);
  await fixtures.api.destination.save(made);
  return { name: made.name };
}

function freshAddress(fixtures: Fixtures): string {
  return `${fixtures.fresh('walker')}@mail.example`;
}

async function withAddress(fixtures: Fixtures) {
  const email = freshAddress(fixtures);
  return { ...(await fixtures.someone({ email })), email };
}

async function someId({ site }: Fixtures): Promise<number> {
  return (await site.addUser()).id;
}

/** A message to the site's user. */
async function aMessage({ api, site }: Fixtures): Promise<{ id: number }> {
  const sent = { title: 'A walk', content: 'through the calls', user_ids: [site.user.id] };
  const { id } = await api.message.create(sent);
  return { id };
}
