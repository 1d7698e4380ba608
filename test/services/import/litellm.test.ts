import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ImportOutcome, importSite } from '../../../src/services/import/import.ts';
import type { ImportOptions } from '../../../src/services/import/import-run.ts';
import {
  type ForeignDatabase,
  openForeignDatabase,
} from '../../../src/store/backup/import-source.ts';
import { rawUpstream } from '../../relay/raw-upstream.ts';
import { databases, type FreshDatabase } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { aLiteLlmDatabase, KEYS } from './litellm-source.ts';

const UNITS_PER_USD = 500_000;
const USAGE = { prompt_tokens: 300, completion_tokens: 200, total_tokens: 500 };

function options(dryRun: boolean, balance = 0): ImportOptions {
  return {
    ...{ name: 'litellm', dryRun, logs: false, subscriptions: false, prices: 'ours', sinceSec: 0 },
    balance,
    signal: new AbortController().signal,
    onStep: () => ({ tick: () => undefined, end: () => undefined }),
  };
}

/** The source is a PostgreSQL database; without one nothing is tested here. */
const targets = databases.some(({ kind }) => kind === 'postgres') ? databases : [];

describe.each(targets)('import of LiteLLM into $kind', async ({ kind }) => {
  const upstream = await rawUpstream();
  upstream.answer = (response) => {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: 'hi' };
    const choices = [{ index: 0, finish_reason: 'stop', message }];
    response.end(JSON.stringify({ choices, usage: USAGE }));
  };
  // One unit per token.
  const site = await sharedSite({
    database: kind,
    options: {
      ModelRatio: { 'gpt-4o-mini': 1, 'gpt-4o': 1 },
      CompletionRatio: { 'gpt-4o-mini': 1, 'gpt-4o': 1 },
    },
  });
  const api = site.as(OPERATOR);
  await api.channel.remove({ id: site.channel.id });
  await site.addChannel({ models: 'gpt-4o-mini,gpt-4o', base_url: upstream.url });
  let database: FreshDatabase;
  let source: ForeignDatabase;
  let first: ImportOutcome;

  beforeAll(async () => {
    database = await aLiteLlmDatabase(Math.floor(Date.now() / 1000));
    source = await openForeignDatabase(database.dsn);
  });
  afterAll(async () => {
    await source.close();
    await database.drop();
    await upstream.close();
  });

  const call = (key: string, model: string) =>
    site.call({ key, body: { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 } });
  const codeOf = ({ text }: { readonly text: string }) => JSON.parse(text).error?.code;
  const noted = (code: string) =>
    first.notes
      .filter((note) => note.code === code)
      .map(({ resource, field, examples }) => [resource, field, ...examples]);
  const userNamed = async (username: string) => {
    const { items } = await api.user.list({ page_size: 100 });
    const user = items.find((one) => one.username === username);
    if (user === undefined) throw new Error(`no user ${username}`);
    return user;
  };

  test('a dry run reports the same as the import, and writes nothing', async () => {
    const trial = await importSite(site.ctx, source, options(true));
    expect(trial).toMatchObject({ family: 'litellm', dry_run: true, finished: true });
    for (const table of ['budgets', 'import_map', 'imports'])
      expect(await site.ctx.db(table).select('*'), table).toEqual([]);
    first = await importSite(site.ctx, source, options(false));
    expect(first.counts).toEqual(trial.counts);
    expect(first.notes).toEqual(trial.notes);
    expect(first.counts).toEqual([
      { resource: 'options', found: 0, imported: 0, already: 0, lost: 0 },
      { resource: 'users', found: 4, imported: 4, already: 0, lost: 0 },
      { resource: 'tokens', found: 5, imported: 4, already: 0, lost: 1 },
      { resource: 'budgets', found: 7, imported: 5, already: 0, lost: 2 },
    ]);
    expect((await site.verify()).differences).toEqual([]);
  });

  test('names what is lost and changed', () => {
    expect(noted('budget_period')).toEqual([
      ['users', 'max_budget', 'boss@example.com: 2 USD / 2h'],
      ['tokens', 'model_max_budget', 'reviewer: gpt-4o-mini 2 USD / 30s'],
    ]);
    expect(noted('table_lost')).toEqual([['site', 'LiteLLM_SpendLogs']]);
    expect(noted('column_lost')).toEqual([
      ['LiteLLM_UserTable', 'sso_user_id'],
      ['LiteLLM_VerificationToken', 'aliases'],
    ]);
    expect(noted('empty')).toEqual([['tokens', '', 'odd']]);
    expect(noted('team_account')).toEqual([['LiteLLM_TeamTable', '', 'agents']]);
    expect(noted('key_hidden')).toEqual([
      ['tokens', 'key', 'laptop', 'reviewer', 'sk-...noP', 'lost'],
    ]);
    const accounts = ['default_user_id', 'ada', 'boss@example.com', 'agents'];
    expect(noted('balance_none')).toEqual([['users', 'quota', ...accounts]]);
    expect(noted('password_none')).toEqual([
      ['users', 'password', 'default_user_id', 'ada', 'agents'],
    ]);
    expect(noted('password_dropped')).toEqual([['users', 'password', 'boss@example.com']]);
  });

  test('takes over accounts, teams and keys with their limits', async () => {
    expect(await userNamed('ada')).toMatchObject({
      ...{
        email: 'ada@example.com',
        role: 1,
        status: 1,
        quota: 0,
        used_quota: 1.25 * UNITS_PER_USD,
      },
      ...{ tokens_per_minute: 9_000, max_concurrency: 3 },
    });
    expect(await userNamed('boss@example.com')).toMatchObject({ role: 10 });
    const { items } = await api.token.list({ page_size: 100 });
    const token = (name: string) => items.find((one) => one.name === name);
    expect(token('laptop')).toMatchObject({
      ...{ username: 'ada', status: 1, unlimited_quota: true, used_quota: 3 * UNITS_PER_USD },
      ...{ expired_time: -1, model_limits_enabled: true, model_limits: 'gpt-4o-mini' },
    });
    expect(token('reviewer')).toMatchObject({
      ...{ username: 'agents', model_limits: 'gpt-4o-mini,gpt-4o "old"' },
      ...{ rate_limit_enabled: true, rate_limit_period: 60, rate_limit_count: 30 },
    });
    expect(token('sk-...noP')).toMatchObject({
      ...{ username: 'default_user_id', model_limits_enabled: false, tokens_per_minute: 7_000 },
      expired_time: Date.UTC(2099, 0, 1) / 1000,
    });
    expect(token('lost')).toMatchObject({ username: 'ada', status: 2 });
  });

  test('takes over budgets with what their windows have spent', async () => {
    const { items } = await api.budget.list({ page_size: 100 });
    const lines = items.map((one) => [
      `${one.subject} ${one.subject_name}`,
      one.period,
      one.models.join(),
      one.limit_amount / UNITS_PER_USD,
      one.spent_amount / UNITS_PER_USD,
    ]);
    expect(lines.sort()).toEqual([
      ['token laptop', 'week', '', 10, 0],
      ['token reviewer', 'hour', 'gpt-4o', 1, 0],
      ['token sk-...noP', 'total', '', 0.002, 0.001],
      ['user ada', 'day', '', 5, 1.25],
      ['user agents', 'month', '', 100, 40],
    ]);
    const rows = await site.ctx.db('budget_windows').select('ends_at', 'starts_at');
    const ends = rows.map((row) => Number(row.ends_at) - Number(row.starts_at));
    expect(ends.filter((seconds) => seconds > 7_000 && seconds <= 7_200)).toHaveLength(2);
  });

  test('the same keys work, and a full budget refuses', async () => {
    for (const name of ['ada', 'agents', 'default_user_id']) {
      const { id } = await userNamed(name);
      await api.user.setQuota({ id, mode: 'add', units: UNITS_PER_USD });
    }
    expect((await call(KEYS.own, 'gpt-4o-mini')).status).toBe(200);
    expect((await call(KEYS.own, 'gpt-4o')).status).toBe(403);
    expect((await call(KEYS.team, 'gpt-4o-mini')).status).toBe(200);
    expect((await call(KEYS.blocked, 'gpt-4o-mini')).status).toBe(401);
    expect((await call(KEYS.console, 'gpt-4o-mini')).status).toBe(401);
    // 500 units of 1,000 were spent at the source, and each call costs 500.
    expect((await call(KEYS.unowned, 'gpt-4o')).status).toBe(200);
    await site.settled();
    const refused = await call(KEYS.unowned, 'gpt-4o');
    expect([refused.status, codeOf(refused)]).toEqual([403, 'budget_exhausted']);
  });

  test('a second run adds only what is new, with a balance if one is asked for', async () => {
    const user = { user_id: 'u-3', user_alias: 'eve', max_budget: 1 };
    await database.db('LiteLLM_UserTable').insert(user);
    const later = await openForeignDatabase(database.dsn);
    const again = await importSite(site.ctx, later, options(false, UNITS_PER_USD));
    await later.close();
    expect(again.counts).toContainEqual({
      ...{ resource: 'users', found: 5, imported: 1, already: 4, lost: 0 },
    });
    const { items } = await api.budget.list({ page_size: 100 });
    expect(items).toHaveLength(6);
    expect(await userNamed('eve')).toMatchObject({ quota: UNITS_PER_USD });
    expect(again.notes.map(({ code }) => code)).not.toContain('balance_none');
  });
});
