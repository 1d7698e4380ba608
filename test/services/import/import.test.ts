import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTypeOf } from '../../../src/domain/channels/channel-types.ts';
import { importedChannelType } from '../../../src/domain/import/channel-types.ts';
import { SOURCE_FAMILIES, type SourceFamily } from '../../../src/domain/import/family.ts';
import { type ImportOutcome, importSite } from '../../../src/services/import/import.ts';
import type { ImportOptions } from '../../../src/services/import/import-run.ts';
import {
  type ForeignDatabase,
  openForeignDatabase,
} from '../../../src/store/backup/import-source.ts';
import type { Engine } from '../../../src/store/connection/engine.ts';
import { channelKeysOf } from '../../../src/store/tables/channel-keys-table.ts';
import { databases, type FreshDatabase } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { createLocalSite, type LocalSite, OPERATOR } from '../../support/local-site.ts';
import { ACCESS_TOKEN, ALICE_KEY, aSource, CODE, SHORT_KEY } from './sources.ts';

const STEPS = { tick: () => undefined, end: () => undefined };

function options(given: Partial<ImportOptions> = {}): ImportOptions {
  const signal = new AbortController().signal;
  return {
    name: 'old',
    dryRun: false,
    logs: true,
    subscriptions: false,
    balance: 0,
    prices: 'theirs',
    sinceSec: 0,
    signal,
    onStep: () => STEPS,
    ...given,
  };
}

function countOf({ counts }: ImportOutcome, resource: string) {
  const { resource: _, ...count } = counts.find((line) => line.resource === resource) ?? {
    resource,
  };
  return count;
}

function codesOf({ notes }: ImportOutcome, resource: string): string[] {
  return notes
    .filter((note) => note.resource === resource)
    .map(({ code, field }) => `${code} ${field}`.trim())
    .sort();
}

const served: readonly (readonly [SourceFamily, number, string])[] = [
  ['new-api', 49, 'coze'],
  ['new-api', 50, 'kling'],
  ['new-api', 56, 'replicate'],
  ['one-api', 34, 'coze'],
  ['one-api', 46, 'replicate'],
  ['veloera', 49, 'github'],
];

test.each(served)('maps a channel of %s with type %i to %s', (family, type, slug) => {
  expect(channelTypeOf(importedChannelType(family, type)?.type ?? 0)?.slug).toBe(slug);
});

test('does not map channel types that this gateway does not support', () => {
  for (const type of [51, 52, 54, 55, 57])
    expect(importedChannelType('new-api', type)).toBeUndefined();
  for (const type of [38, 43]) expect(importedChannelType('one-api', type)).toBeUndefined();
});

/** Imports from each database engine into another one. */
const INTO: Readonly<Record<Engine, Engine>> = {
  sqlite: 'postgres',
  postgres: 'mysql',
  mysql: 'sqlite',
};
const kinds = databases.map(({ kind }) => kind);
const CASES = SOURCE_FAMILIES.flatMap((family) =>
  kinds.map(
    (from) => ({ family, from, into: kinds.includes(INTO[from]) ? INTO[from] : 'sqlite' }) as const,
  ),
);

describe.each(CASES)('import of $family from $from into $into', ({ family, from, into }) => {
  let site: LocalSite;
  let database: FreshDatabase;
  let source: ForeignDatabase;
  let first: ImportOutcome;
  const isOneApi = family === 'one-api';

  beforeAll(async () => {
    [site, database] = await Promise.all([createLocalSite(into), aSource(family, from)]);
    source = await openForeignDatabase(database.dsn);
  });
  afterAll(async () => {
    await source.close();
    await Promise.all([database.drop(), site.close()]);
  });

  test('a dry run counts the rows to import and writes nothing', async () => {
    const outcome = await importSite(site.ctx, source, options({ dryRun: true }));
    expect(outcome).toMatchObject({ family, dry_run: true, finished: true });
    expect(countOf(outcome, 'users')).toEqual({ found: 5, imported: 4, already: 0, lost: 1 });
    for (const table of [
      'users',
      'tokens',
      'channels',
      'ledger',
      'imports',
      'import_map',
      'options',
    ])
      expect(await site.ctx.db(table).select('*'), table).toEqual([]);
  });

  test('the import reports the same counts as the dry run, and each lost row with its reason', async () => {
    const trial = await importSite(site.ctx, source, options({ dryRun: true }));
    first = await importSite(site.ctx, source, options());
    expect(first.counts).toEqual(trial.counts);
    expect(first.notes).toEqual(trial.notes);
    expect(countOf(first, 'tokens')).toEqual({ found: 4, imported: 2, already: 0, lost: 2 });
    expect(codesOf(first, 'users')).toEqual(
      expect.arrayContaining([
        'deleted',
        'password_dropped password',
        'renamed username',
        'role_lowered role',
        'value_taken email',
      ]),
    );
    expect(codesOf(first, 'tokens')).toEqual(['empty', 'orphan']);
    expect(codesOf(first, 'channels')).toContain('type_unknown');
    expect(codesOf(first, 'options')).toEqual([
      'option_invalid RetryTimes',
      'option_unknown Theme',
    ]);
    expect(JSON.stringify(first)).not.toMatch(/smtp-secret|A1b2C3d4/);
  });

  test('names the accounts that only their password protects, and whose plans are left', () => {
    if (family !== 'new-api') return;
    const named = first.notes
      .filter(({ resource }) => ['users', 'user_subscriptions'].includes(resource))
      .map(({ code, field, examples }) => [code, field, examples]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['second_factor_dropped', 'two_fas', ['root', 'bob']],
        ['second_factor_dropped', 'passkey_credentials', ['alice']],
        ['not_asked', '--subscriptions', ['alice: 500000', 'alice: 100000']],
        ['plan_unlimited', '', ['bob']],
        ['plan_ended', '', ['bob']],
        ['orphan', '', ['5']],
      ]),
    );
  });

  test('keeps the id, name, role, balance and inviter of accounts', async () => {
    const users = await site.as(OPERATOR).user.list({ page_size: 100 });
    const byId = new Map(users.items.map((user) => [user.id, user]));
    expect(byId.get(1)).toMatchObject({ username: 'root', role: 100, quota: 100_000_000 });
    expect(byId.get(2)).toMatchObject({
      ...{ username: 'alice', email: 'alice@example.com', github_id: '42', group: 'vip' },
      ...{ quota: 1_000_000, used_quota: 250_000, request_count: 7, inviter_id: 3 },
    });
    expect(byId.get(3)).toMatchObject({
      role: 1,
      status: 2,
      quota: -5,
      email: '',
      group: 'default',
    });
    expect(byId.get(5)?.username).toBe('user-5');
    expect(byId.size).toBe(4);
    const row = await site.ctx.db('users').where({ id: 1 }).first('access_token_hash');
    expect(row.access_token_hash).toBe(site.ctx.secrets.hash(ACCESS_TOKEN));
  });

  test('imports account settings and encrypts their secret', async () => {
    const { setting } = await site.ctx.db('users').where({ id: 2 }).first('setting');
    if (isOneApi) return expect(setting).toBe('');
    expect(setting).not.toContain('sesame');
    const { webhook_secret, ...others } = JSON.parse(setting);
    expect(site.ctx.secrets.decrypt(webhook_secret)).toBe('sesame');
    expect(others).toEqual({
      notify_type: 'webhook',
      webhook_url: 'https://hooks.example',
      show_ip_in_logs: true,
    });
  });

  test('keeps the key, limits and balance of tokens', async () => {
    const tokens = site.as(OPERATOR).token;
    expect((await tokens.reveal({ id: 11 })).key).toBe(`sk-${ALICE_KEY}`);
    expect((await tokens.reveal({ id: 12 })).key).toBe(`sk-${SHORT_KEY}`);
    expect(await tokens.get({ id: 11 })).toMatchObject({
      ...{ user_id: 2, name: 'work', remain_quota: 400_000, used_quota: 100_000, expired_time: -1 },
      ...{ created_time: 1_700_000_000, model_limits_enabled: true, model_limits: 'gpt-4o-mini' },
      ...{
        allow_ips: '127.0.0.0/8\n::1',
        unlimited_quota: false,
        rate_limit_enabled: family === 'veloera',
      },
    });
    const { group, ...other } = await tokens.get({ id: 12 });
    expect(other).toMatchObject({ unlimited_quota: true, remain_quota: 0 });
    if (group !== '') {
      expect(group).toBe('auto');
      expect(site.ctx.options().get('AutoGroups')).toEqual(['default']);
      expect(site.ctx.options().get('GroupRatio')).not.toHaveProperty('auto');
    }
  });

  test('keeps the keys, models and usage of channels and creates their abilities', async () => {
    const { items } = await site.as(OPERATOR).channel.list({ page_size: 100 });
    const main = items.find(({ id }) => id === 21);
    expect(main).toMatchObject({
      type: 1,
      models: 'gpt-4o-mini,gpt-4o',
      group: 'default,vip',
      priority: 5,
      used_quota: 250_000,
    });
    const odd = items.find(({ name }) => name === 'odd');
    // Type 43 is DeepSeek, except in one-api, where it is a proxy without an equivalent here.
    expect(odd === undefined).toBe(isOneApi);
    const keys = (await channelKeysOf(site.ctx.db, [24])).get(24) ?? [];
    if (!isOneApi) expect(odd).toMatchObject({ model_mapping: '', status: 3 });
    if (family === 'new-api')
      expect(keys).toMatchObject([
        { status: 1, reason: '', disabled_at: 0 },
        { status: 3, reason: 'quota used up', disabled_at: 1_700_000_000 },
      ]);
    const vertex = items.find(({ name }) => name === 'vertex');
    if (isOneApi) expect(vertex).toMatchObject({ type: 41, other: 'us-east1' });
    const abilities = await site.ctx
      .db('abilities')
      .where({ channel_id: 21 })
      .select('model', 'enabled');
    expect(abilities).toHaveLength(4);
  });

  test('imports options, prices, redemption codes and history', async () => {
    const values = site.ctx.options();
    expect(values.get('GroupRatio')).toEqual({ default: 1, vip: 0.5 });
    expect(values.get('ModelRatio')).toMatchObject({ 'house-model': 3 });
    expect(values.get('SMTPToken')).toBe('smtp-secret');
    const stored = await site.ctx.db('options').where({ key: 'SMTPToken' }).first('value');
    expect(stored.value).not.toContain('smtp-secret');
    const code = await site.ctx
      .db('redemptions')
      .where({ id: 31 })
      .first(['key', 'status', 'quota']);
    expect(code).toEqual({ key: CODE, status: 1, quota: 500_000 });
    const logs = await site.as(OPERATOR).log.list({ type: 2, page_size: 100 });
    expect(logs.items).toHaveLength(3);
    expect(logs.items[0]).toMatchObject({
      user_id: 2,
      channel: 21,
      model_name: 'gpt-4o-mini',
      completion_tokens: 0,
    });
    if (isOneApi) return;
    expect(countOf(first, 'midjourneys')).toEqual({ found: 2, imported: 1, already: 0, lost: 1 });
    expect(countOf(first, 'tasks')).toMatchObject({ imported: 1 });
    // The prompt of an entry of Claude leaves out cached tokens, sums count them.
    expect(logs.items.map(({ prompt_tokens }) => prompt_tokens)).toEqual([3, 3, 3]);
    const sums = await site.as(OPERATOR).log.stat({ type: 2 });
    expect(sums.token_input).toBe(3 + 3 + 27);
    const order = await site.ctx
      .db('top_ups')
      .where({ trade_no: 'USR2NO1' })
      .first(['status', 'money']);
    expect(Number(order.money)).toBe(73.5);
  });

  test('the ledger balances, a second run imports nothing, and the next id is free', async () => {
    expect((await site.as(OPERATOR).ledger.verify({})).differences).toEqual([]);
    const before = await site.ctx.db('ledger').count({ total: '*' }).first();
    const again = await importSite(site.ctx, source, options());
    expect(again.counts.every(({ imported }) => imported === 0)).toBe(true);
    expect(countOf(again, 'users')).toEqual({ found: 5, imported: 0, already: 4, lost: 1 });
    expect(await site.ctx.db('ledger').count({ total: '*' }).first()).toEqual(before);
    expect((await site.aUser()).id).toBeGreaterThan(5);
  });

  test('credits what is left of paid plans on request, each plan once', async () => {
    if (family !== 'new-api') return;
    const before = await site.ctx.db('users').where({ username: 'alice' }).first('quota');
    const credited = options({ subscriptions: true });
    const outcome = await importSite(site.ctx, source, credited);
    expect(countOf(outcome, 'user_subscriptions')).toMatchObject({ imported: 2, lost: 3 });
    const again = await importSite(site.ctx, source, credited);
    expect(countOf(again, 'user_subscriptions')).toMatchObject({ imported: 0, already: 2 });
    const after = await site.ctx.db('users').where({ username: 'alice' }).first('quota');
    expect(Number(after.quota) - Number(before.quota)).toBe(600_000);
    const rows = await site.ctx.db('ledger').where('key', 'like', '%:subscription:%');
    expect(rows.map(({ key }) => key).sort()).toEqual([
      'import:old:subscription:1',
      'import:old:subscription:2',
    ]);
  });
});

describe('import into a site with existing accounts', () => {
  let site: LocalSite;
  let database: FreshDatabase;
  let source: ForeignDatabase;

  beforeAll(async () => {
    [site, database] = await Promise.all([createLocalSite(), aSource('new-api', 'sqlite')]);
    source = await openForeignDatabase(database.dsn);
    await site.aUser({ username: 'root', role: 100, quota: 7 });
    await site.as(OPERATOR).option.set({ key: 'SystemName', value: 'New Site' });
    await site.as(OPERATOR).option.set({ key: 'GroupRatio', value: '{"default":2,"own":1}' });
  });
  afterAll(async () => {
    await source.close();
    await Promise.all([database.drop(), site.close()]);
  });

  test('resumes an interrupted run', async () => {
    const stop = new AbortController();
    const onStep = (resource: string) => {
      if (resource === 'tokens') stop.abort();
      return STEPS;
    };
    const cut = await importSite(site.ctx, source, options({ signal: stop.signal, onStep }));
    expect(cut.finished).toBe(false);
    expect(countOf(cut, 'users')).toMatchObject({ imported: 4 });
    expect(await site.ctx.db('tokens').select('id')).toEqual([]);
    expect((await site.as(OPERATOR).ledger.verify({})).ok).toBe(true);

    const rest = await importSite(site.ctx, source, options());
    expect(rest.finished).toBe(true);
    expect(countOf(rest, 'users')).toMatchObject({ imported: 0, already: 4 });
    expect(countOf(rest, 'tokens')).toMatchObject({ imported: 2 });
    expect((await site.as(OPERATOR).ledger.verify({})).ok).toBe(true);
  });

  test('keeps the id and name of existing accounts and the options of the site', async () => {
    const { items } = await site.as(OPERATOR).user.list({ page_size: 100 });
    expect(items.filter(({ username }) => username === 'root')).toMatchObject([
      { id: 1, quota: 7 },
    ]);
    expect(items.find(({ username }) => username === 'root-1')).toMatchObject({ id: 6, role: 100 });
    expect(items.find(({ username }) => username === 'alice')).toMatchObject({ id: 2 });
    expect(site.ctx.options().get('SystemName')).toBe('New Site');
    // Another unit would change the value of existing balances.
    expect(site.ctx.options().get('QuotaPerUnit')).toBe(500_000);
    expect(site.ctx.options().get('GroupRatio')).toEqual({ default: 2, own: 1, vip: 0.5 });
  });

  test('refuses a second installation under the same import name', async () => {
    const other = await aSource('new-api', 'sqlite');
    const elsewhere = await openForeignDatabase(other.dsn);
    await expectRefusal(importSite(site.ctx, elsewhere, options()), 'import_name_taken');
    await elsewhere.close();
    await other.drop();
  });

  test('refuses its own database and an unreachable database', async () => {
    const own = await openForeignDatabase(site.databases.dsn);
    await expectRefusal(importSite(site.ctx, own, options()), 'import_source_own');
    await own.close();
    await expectRefusal(openForeignDatabase('/nowhere/one-api.db'), 'import_source_missing');
  });
});

const BUILT_IN: Readonly<Record<(typeof SOURCE_FAMILIES)[number], object>> = {
  'one-api': { model_ratio: 2.5, completion_ratio: 4 },
  'new-api': { model_ratio: 1, completion_ratio: 2 },
  veloera: { model_ratio: 10, completion_ratio: 1 },
};
const MODELS = { 'one-api': 'gpt-4o', 'new-api': 'gpt-4.1', veloera: 'qwen-plus' } as const;

describe.each(SOURCE_FAMILIES)('prices built into %s but not saved in its database', (family) => {
  const model = MODELS[family];
  const opened: (() => Promise<void>)[] = [];
  let source: ForeignDatabase;

  beforeAll(async () => {
    const database = await aSource(family, 'sqlite');
    await database.db('options').where({ key: 'ModelRatio' }).delete();
    const models = `${model},gpt-4o-mini,house-model,own-price`;
    await database.db('channels').where({ id: 21 }).update({ models });
    source = await openForeignDatabase(database.dsn);
    opened.push(
      () => database.drop(),
      () => source.close(),
    );
  });
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  async function aTarget(): Promise<LocalSite> {
    const site = await createLocalSite();
    opened.push(() => site.close());
    return site;
  }
  const priceOf = (site: LocalSite, name: string) => site.as(OPERATOR).price.get({ model: name });

  test('are compared per model and imported so that charges do not change', async () => {
    const site = await aTarget();
    const before = await priceOf(site, model);
    const { model_ratio, completion_ratio } = before;
    const line = {
      model,
      theirs: BUILT_IN[family],
      ours: before.source === 'unset' ? null : { model_ratio, completion_ratio },
      taken: 'theirs',
    };
    const trial = await importSite(site.ctx, source, options({ dryRun: true }));
    expect(trial.prices).toContainEqual(line);
    expect(await priceOf(site, model)).toEqual(before);
    const outcome = await importSite(site.ctx, source, options());
    expect(outcome.prices).toEqual(trial.prices);
    expect(outcome.prices.map((one) => one.model)).not.toContain('house-model');
    expect(await priceOf(site, model)).toMatchObject({ ...BUILT_IN[family], source: 'override' });
    expect((await importSite(site.ctx, source, options())).prices).toEqual([]);
  });

  test('are skipped if the operator prefers the local prices or has set a price for the model', async () => {
    const site = await aTarget();
    const before = await priceOf(site, model);
    const preferred = await importSite(site.ctx, source, options({ prices: 'ours' }));
    expect(preferred.prices).toContainEqual(expect.objectContaining({ model, taken: 'ours' }));
    expect({ ...(await priceOf(site, model)), enabled: false }).toEqual(before);
    const other = await aTarget();
    await other.as(OPERATOR).price.set({ model, ratio: 7, completion: 1 });
    const { prices } = await importSite(other.ctx, source, options());
    expect(prices).toContainEqual({
      model,
      theirs: BUILT_IN[family],
      ours: { model_ratio: 7, completion_ratio: 1 },
      taken: 'ours',
    });
    expect(await priceOf(other, model)).toMatchObject({ model_ratio: 7 });
  });
});
