/**
 * A site on which every management call can succeed: users of each role with browsers, one answered
 * model call, and external services (mail, payment, sign-in).
 */
import { request } from 'undici';
import type { Actor } from '../../../src/api/call.ts';
import type { ConfigFlags } from '../../../src/config.ts';
import type { Role } from '../../../src/domain/roles.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import {
  type FakeProviders,
  startFakeProviders,
} from '../../services/sign-in/identity/fake-providers.ts';
import { type ApiClient, apiClient, signedIn } from '../../support/api-client.ts';
import { type FakeEpay, startFakeEpay } from '../../support/fake-epay.ts';
import {
  aMailServer,
  type MailServer,
  mailOptions,
  type ReceivedLetter,
} from '../../support/mail-server.ts';
import {
  aSite,
  type Clients,
  eventually,
  OPERATOR,
  type Site,
  type SiteUser,
} from '../../support/site.ts';
import { CA_FILE } from '../../support/tls.ts';

/** A caller. */
export interface Person {
  /** The path of the call. */
  readonly site: Site;
  readonly actor: Actor & { readonly kind: 'user' };
  readonly browser: ApiClient;
}

export interface Fixtures {
  readonly site: Site;
  /** All calls as the operator, to prepare a sample. */
  readonly api: Clients;
  readonly fake: FakeProviders;
  readonly epay: FakeEpay;
  /** A model call made by `person(1)`. */
  readonly requestId: string;
  /** The user of this role; role 1 is the site's user, with a token, a balance and log entries. */
  person(role: Role): Person;
  /** A new signed-in user, by default of role 1. */
  someone(fields?: Parameters<Site['addUser']>[0]): Promise<Person & { readonly user: SiteUser }>;
  /** A browser without a session. */
  anonymous(site?: Site): Person;
  /** An unused text of at most 12 characters. */
  fresh(beginning: string): string;
  /** Waits for the latest mail to an address and returns it. */
  letterTo(address: string): Promise<ReceivedLetter>;
  /** A separate site without set-up. */
  emptySite(): Promise<Site>;
  /** Closes what a sample has opened, with the site. */
  onClose(close: () => Promise<void>): void;
  close(): Promise<void>;
}

export const BOT_TOKEN = '110201543:a-bot-token';
const MERCHANT = { id: '1001', key: 'merchant-key' } as const;
const UNLIMITED = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false } as const;

/** `config` in addition to what the samples need. */
export async function createFixtures(
  database: Engine,
  config: ConfigFlags = {},
): Promise<Fixtures> {
  const fake = await startFakeProviders();
  const epay = await startFakeEpay(MERCHANT.id, MERCHANT.key);
  const mail = await aMailServer();
  const site = await aSite({
    database,
    config: {
      ...UNLIMITED,
      caFile: CA_FILE,
      egressAllow: '127.0.0.1',
      githubUrl: fake.url,
      githubApiUrl: fake.url,
      linuxdoUrl: fake.url,
      allowPrivateIdentityHosts: true,
      ...config,
    },
  });
  const settings = settingsFor({ site, fake, epay, mail });
  await site.as(OPERATOR).option.setMany({
    options: Object.entries(settings).map(([key, value]) => ({ key, value })),
  });
  const requestId = await someHistory(site);
  const people = await peopleOf(site);
  const empty: Site[] = [];
  const opened: (() => Promise<void>)[] = [];
  return {
    ...{ site, fake, epay, requestId },
    ...visitorsOf(site, people),
    api: site.as(OPERATOR),
    letterTo: (address) =>
      eventually(`a letter to ${address}`, () =>
        mail.letters.findLast(({ to }) => to.includes(address)),
      ),
    async emptySite() {
      const other = await aSite({ database, config: UNLIMITED });
      empty.push(other);
      return other;
    },
    onClose(close) {
      opened.push(close);
    },
    async close() {
      for (const one of [site, ...empty]) await one.close();
      for (const close of opened) await close();
      await Promise.all([fake, epay, mail].map((one) => one.close()));
    },
  };
}

function visitorsOf(
  site: Site,
  people: ReadonlyMap<Role, Person>,
): Pick<Fixtures, 'person' | 'someone' | 'anonymous' | 'fresh'> {
  let used = 0;
  return {
    person(role) {
      const found = people.get(role);
      if (found === undefined) throw new Error(`no user has role ${role}`);
      return found;
    },
    async someone(fields) {
      const user = await site.addUser(fields);
      return { site, user, actor: user.actor, browser: await signedIn(site, user) };
    },
    anonymous: (where = site) => ({ site: where, actor: GUEST, browser: apiClient(where) }),
    fresh(beginning) {
      used += 1;
      return `${beginning}${used}`;
    },
  };
}

const GUEST: Person['actor'] = { kind: 'user', id: 0, role: 0, group: '' };

async function peopleOf(site: Site): Promise<Map<Role, Person>> {
  const users = [site.user, await site.addUser({ role: 10 }), await site.addUser({ role: 100 })];
  const signed = users.map(async (user) => {
    const person = { site, actor: user.actor, browser: await signedIn(site, user) };
    return [user.actor.role, person] as const;
  });
  const guest = { site, actor: GUEST, browser: apiClient(site) };
  return new Map<Role, Person>([[0, guest], ...(await Promise.all(signed))]);
}

/** One answered call, an image task and a song of the site's user; returns the request id. */
async function someHistory(site: Site): Promise<string> {
  const messages = [{ role: 'user', content: 'Hello' }];
  const { requestId } = await site.call({ body: { model: 'gpt-4o-mini', messages } });
  await site.settled();
  const submit_time = Date.now();
  const common = { user_id: site.user.id, channel_id: site.channel.id, status: 'SUCCESS' };
  await site.ctx.db('midjourneys').insert({
    ...common,
    ...{ mj_id: 'mj-1', action: 'IMAGINE', prompt: 'a lighthouse', submit_time },
  });
  await site.ctx.db('tasks').insert({
    ...common,
    ...{ task_id: 'task-1', platform: 'suno', action: 'MUSIC', data: '[]' },
    properties: '{"input":"a song"}',
    submit_time: Math.floor(submit_time / 1000),
  });
  return requestId;
}

interface Parties {
  readonly site: Site;
  readonly fake: FakeProviders;
  readonly epay: FakeEpay;
  readonly mail: MailServer;
}

function settingsFor({ site, fake, epay, mail }: Parties) {
  return {
    ServerAddress: site.url,
    ...mailOptions(mail),
    PayAddress: `${epay.url}/`,
    EpayId: MERCHANT.id,
    EpayKey: MERCHANT.key,
    CustomCallbackAddress: site.url,
    GitHubClientId: 'gateway',
    GitHubClientSecret: 'github-secret',
    GitHubOAuthEnabled: true,
    LinuxDOClientId: 'gateway',
    LinuxDOClientSecret: 'linuxdo-secret',
    LinuxDOOAuthEnabled: true,
    'oidc.client_id': 'gateway',
    'oidc.client_secret': 'oidc-secret',
    'oidc.well_known': `${fake.url}/.well-known/openid-configuration`,
    'oidc.enabled': true,
    WeChatServerAddress: fake.url,
    WeChatServerToken: 'wechat-token',
    WeChatAuthEnabled: true,
    TelegramBotToken: BOT_TOKEN,
    TelegramOAuthEnabled: true,
    CheckInEnabled: true,
    CheckInQuota: 100,
    QuotaForInviter: 500_000,
    Notice: 'Open all day',
  };
}

/** Opens an order and submits its form like a browser; returns its trade number. */
export async function ordered({ browser }: Person): Promise<string> {
  const reply = await browser.send('POST', '/api/user/pay', {
    body: { amount: 1, payment_method: 'zfb' },
  });
  const { body } = await request(reply.body.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(reply.body.data).toString(),
  });
  await body.dump();
  return reply.body.data.out_trade_no;
}
