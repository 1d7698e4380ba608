import { beforeAll, describe, expect, test } from 'vitest';
import { connect, gateway, makeSitePerFile } from './site-folder.ts';
import type { TerminalOptions } from './terminal.ts';

makeSitePerFile();
beforeAll(async () => {
  await connect();
  expect((await gateway('token create --name ci --usd 100')).exit).toBe(0);
});

const budget = (words: string | readonly string[], options?: TerminalOptions) =>
  gateway(typeof words === 'string' ? `budget ${words}` : ['budget', ...words], options);

describe('gateway budget', () => {
  test('limits an API token in dollars a day, and shows what is left', async () => {
    const words =
      'create --token ci --usd 5 --per day --time-zone Asia/Shanghai --warn-at 90 --notify-at 50,95';
    const made = await budget(`${words} --json`);
    expect(made.json()).toMatchObject({
      subject: 'token',
      subject_name: 'ci',
      username: 'root',
      limit_amount: 2_500_000,
      limit_amount_usd: 5,
      left_amount_usd: 5,
      time_zone: 'Asia/Shanghai',
      warn_at: 90,
      notify_at: [50, 95],
      status_word: 'enabled',
    });
    // Midnight in Shanghai.
    expect(made.json().resets_at).toMatch(/T16:00:00\.000Z$/);
    expect((await budget('list --token ci', { isTTY: true, width: 160 })).out).toMatch(
      /token\s+ci\s+units\s+\$5\.00/,
    );
  });

  test('counts calls and tokens without money', async () => {
    const words = 'create --channel main --measure calls --limit 1000 --per 5h --anchor first_use';
    const { json } = await budget(`${words} --shadow --json`);
    expect(json()).toMatchObject({ limit_amount: 1000, shadow: true, resets_at: null });
    expect(json()).not.toHaveProperty('limit_amount_usd');
    expect((await budget('list --channel main', { isTTY: true, width: 160 })).out).toMatch(
      /calls\s+1,000/,
    );
  });

  test('refuses an amount that does not fit the measure, no subject and two subjects', async () => {
    const refused = async (words: string, flag: string) => {
      const { exit, err } = await budget(`create ${words}`);
      expect({ words, exit, err }).toMatchObject({ exit: 2, err: expect.stringContaining(flag) });
    };
    await refused('--token ci --limit 5 --per day', '--limit');
    await refused('--token ci --measure calls --usd 5 --per day', '--usd');
    await refused('--token ci --per day', '--usd');
    await refused('--token ci --usd 5', '--per');
    await refused('--usd 5 --per day', '--token');
    await refused('--site --token ci --usd 5 --per day', '--token');
  });

  test('keeps or changes the one that is there already', async () => {
    const words = 'create --group default --per month';
    const { id } = (await budget(`${words} --usd 10 --json`)).json();
    const kept = await budget(`${words} --usd 20 --if-absent --json`);
    expect(kept.json()).toMatchObject({ id, limit_amount_usd: 10 });
    const changed = await budget(`${words} --usd 20 --upsert --json`);
    expect(changed.json()).toMatchObject({ id, limit_amount_usd: 20 });
    const other = await budget(`${words} --usd 20 --models gpt-4o --upsert --json`);
    expect(other.json().id).not.toBe(id);
    expect((await budget('list --group default --json')).json().total).toBe(2);
  });

  test('edits, raises, disables and deletes', async () => {
    const { id } = (await budget('create --site --usd 1 --per total --json')).json();
    const edited = await budget(`edit ${id} --usd 2 --downgrade-to gpt-4o-mini --json`);
    expect(edited.json()).toMatchObject({
      limit_amount_usd: 2,
      on_full: 'downgrade',
      downgrade_model: 'gpt-4o-mini',
    });
    expect((await budget(`edit ${id} --downgrade-to= --json`)).json().on_full).toBe('refuse');
    const raised = await budget(`raise ${id} --usd 3 --until 2099-12-31 --json`);
    expect(raised.json()).toMatchObject({ raised_amount_usd: 3, left_amount_usd: 5 });
    expect((await budget(`disable ${id} --json`)).json().status_word).toBe('disabled');
    expect((await budget(`windows ${id} --json`)).json().total).toBe(0);
    expect((await budget(`delete ${id} --yes`)).exit).toBe(0);
    expect(await budget(`get ${id}`)).toMatchObject({ exit: 5 });
  });

  test('finds a budget by the name of its subject, with its kind and period if there are several', async () => {
    expect((await gateway('token create --name night --unlimited')).exit).toBe(0);
    const { id } = (await budget('create --token night --usd 1 --per day --json')).json();
    expect((await budget('get night --json')).json()).toMatchObject({ id });
    expect((await budget('raise night --usd 2 --json')).json()).toMatchObject({ id });
    const month = (await budget('create --token night --usd 9 --per month --json')).json();
    const ambiguous = await budget('get night');
    expect(ambiguous.exit).toBe(2);
    expect(ambiguous.err).toContain(`${month.id} (token night / month), ${id} (token night / day)`);
    expect((await budget(['get', 'token night / month', '--json'])).json().id).toBe(month.id);
    expect(await budget('get nobody')).toMatchObject({ exit: 5 });
  });
});
