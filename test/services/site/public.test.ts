import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/api/call.ts';
import { CHANNEL_TYPES } from '../../../src/domain/channels/channel-types.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import {
  type Clients,
  createLocalSite,
  type LocalSite,
  OPERATOR,
} from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const GUEST: Actor = { kind: 'user', id: 0, role: 0, group: '' };

describe.each(databases)('prices for visitors on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const guest = site.as(GUEST);
  const options = [
    { key: 'GroupRatio', value: { default: 1, vip: 0.5, inner: 2 } },
    { key: 'UserUsableGroups', value: { default: 'Everybody', vip: 'Paying', old: 'Retired' } },
    {
      key: 'ModelRatio',
      value: { 'own-model': 3, 'only-vip': 1, 'only-inner': 1, 'brand-new': 1 },
    },
    { key: 'ModelPrice', value: { 'by-call': 0.25 } },
  ];
  await site.as(OPERATOR).option.setMany({ options });
  await site.aChannel({ group: 'default,vip', models: 'own-model,by-call,new-model' });
  await site.aChannel({ group: 'vip', models: 'own-model,only-vip' });
  await site.aChannel({ group: 'inner', models: 'only-inner' });
  await site.aChannel({ group: 'default', models: 'switched-off', status: 2 });
  await site.aChannel({
    group: 'default',
    models: 'alias',
    model_prefix: 'p/',
    model_mapping: '{"alias":"own-model"}',
  });

  it('list every model of a usable group once, by its client name, with the groups', async () => {
    const { data, group_ratio, usable_group } = await guest.public.pricing({});
    expect(data.map((entry) => [entry.model_name, entry.enable_groups])).toEqual([
      ['by-call', ['default', 'vip']],
      ['only-vip', ['vip']],
      ['own-model', ['default', 'vip']],
      ['p/alias', ['default']],
    ]);
    expect(group_ratio).toEqual({ default: 1, vip: 0.5 });
    expect(usable_group).toEqual({ default: 'Everybody', vip: 'Paying' });
  });

  it('state whether a call or a token is charged, and at which price', async () => {
    const { data } = await guest.public.pricing({});
    const byName = new Map(data.map((entry) => [entry.model_name, entry]));
    expect(byName.get('by-call')).toMatchObject({ quota_type: 1, model_price: 0.25 });
    expect(byName.get('own-model')).toMatchObject({
      quota_type: 0,
      model_ratio: 3,
      model_price: 0,
      owner_by: '',
      cache_creation_ratio: 1.25,
    });
    expect(byName.get('own-model')).not.toHaveProperty('unset');
    expect(byName.get('p/alias')).toMatchObject({ model_ratio: 3 });
    expect(byName.has('new-model')).toBe(false);
  });

  it('are the highest where the hosts of a model charge different prices', async () => {
    const models = 'deepseek-v4-flash';
    const inputNow = async () =>
      (await guest.public.pricing({})).data.find(({ model_name }) => model_name === models)?.rates
        ?.input;
    const cheap = await site.aChannel({ type: 1005, group: 'vip', models });
    const [low, own] = [await inputNow(), await site.as(OPERATOR).price.get({ model: models })];
    expect(low).toBeLessThan(own.usd_in);
    const dear = await site.aChannel({ type: 1, group: 'vip', models });
    expect(await inputNow()).toBe(own.usd_in);
    for (const { id } of [cheap, dear]) await site.as(OPERATOR).channel.remove({ id });
  });

  it("include the models of a user's own group, first", async () => {
    const member = await site.aUser({ group: 'inner' });
    const { data, group_ratio } = await site.as(member.actor).public.pricing({});
    expect(Object.keys(group_ratio)).toEqual(['inner', 'default', 'vip']);
    expect(data.map((entry) => entry.model_name)).toContain('only-inner');
  });

  it('follow a changed channel or option immediately', async () => {
    const names = async () =>
      (await guest.public.pricing({})).data.map((entry) => entry.model_name);
    expect(await names()).not.toContain('brand-new');
    const channel = await site.aChannel({ models: 'brand-new' });
    expect(await names()).toContain('brand-new');
    await site.as(OPERATOR).option.set({ key: 'ModelRatio', value: { 'brand-new': 7 } });
    const entry = (await guest.public.pricing({})).data.find(
      (one) => one.model_name === 'brand-new',
    );
    expect(entry).toMatchObject({ model_ratio: 7 });
    await site.as(OPERATOR).channel.edit({ id: channel.id, status: 2 });
    expect(await names()).not.toContain('brand-new');
  });

  it('are refreshed after a minute, whichever process changed the database', async () => {
    const names = async () =>
      (await guest.public.pricing({})).data.map((entry) => entry.model_name);
    expect(await names()).toContain('by-call');
    await site.ctx.db('channels').where({ models: 'own-model,by-call,new-model' }).update({
      status: 2,
    });
    site.pass(59);
    expect(await names()).toContain('by-call');
    site.pass(2);
    expect(await names()).not.toContain('by-call');
  });
});

describe('public data', () => {
  let site: LocalSite;
  let guest: Clients;
  beforeEach(async () => {
    site = await createLocalSite();
    guest = site.as(GUEST);
  });
  afterEach(() => site.close());

  it('has the current texts of the site', async () => {
    const texts = { Notice: 'Hello', About: '# Us', HomePageContent: 'https://example.org' };
    expect(await guest.public.notice({})).toBe('');
    for (const [key, value] of Object.entries(texts))
      await site.as(OPERATOR).option.set({ key, value });
    expect(await guest.public.notice({})).toBe('Hello');
    expect(await guest.public.about({})).toBe('# Us');
    expect(await guest.public.homePage({})).toBe('https://example.org');
  });

  it('has the default models of every channel type', async () => {
    const models = await guest.public.models({});
    expect(Object.keys(models)).toEqual(Object.keys(CHANNEL_TYPES));
    expect(models['14']?.some((name) => name.startsWith('claude-'))).toBe(true);
  });

  it('has a status with every field that consoles read', async () => {
    const status = await guest.status.get({});
    for (const field of STATUS_FIELDS) expect(status).toHaveProperty(field);
    expect(status.chats[0]).toBeTypeOf('object');
    expect(status).toMatchObject({ quota_per_unit: 500_000, enable_online_topup: false });
    const pay = { PayAddress: 'https://pay.example/', EpayId: '1', EpayKey: 'secret' };
    for (const [key, value] of Object.entries(pay))
      await site.as(OPERATOR).option.set({ key, value });
    const after = await guest.status.get({});
    expect(after.enable_online_topup).toBe(true);
    expect(JSON.stringify(after)).not.toContain('secret');
  });

  it('the e-mail domains that are accepted, once they are restricted', async () => {
    const domains = async () => (await guest.status.get({})).email_domains;
    expect(await domains()).toEqual([]);
    const { option } = site.as(OPERATOR);
    await option.set({ key: 'EmailDomainWhitelist', value: ['Example.com', 'example.org'] });
    expect(await domains()).toEqual([]);
    await option.set({ key: 'EmailDomainRestrictionEnabled', value: true });
    expect(await domains()).toEqual(['example.com', 'example.org']);
  });

  it('reports that registration is closed in personal mode', async () => {
    expect(await guest.status.get({})).toMatchObject({ register_enabled: true });
    await site.as(OPERATOR).option.set({ key: 'SelfUseModeEnabled', value: true });
    expect(await guest.status.get({})).toMatchObject({ register_enabled: false });
  });

  it('has a status test that reports whether the database responds', async () => {
    const api = site.as(OPERATOR);
    await api.status.test({});
    await site.databases.close();
    await expectRefusal(api.status.test({}), 'database_unreachable', { status: 503 });
  });
});

const STATUS_FIELDS = `version start_time setup system_name logo footer_html quota_per_unit
display_in_currency enable_drawing enable_task enable_data_export chats log_default_range data_export_default_time
default_collapse_sidebar mj_notify_enabled docs_link aff_enabled check_in_enabled turnstile_check
turnstile_site_key email_verification github_oauth github_client_id linuxdo_oauth linuxdo_client_id
linuxdo_minimum_trust_level telegram_oauth telegram_bot_name wechat_login wechat_qrcode oidc_enabled
oidc_client_id oidc_authorization_endpoint top_up_link min_topup price enable_online_topup
server_address self_use_mode_enabled demo_site_enabled enable_batch_update`.split(/\s+/);
