/** A second `create` with the same name is refused, kept or changed, as the flags say. */
import { expect, test } from 'vitest';
import { NOUNS } from '../../src/cli/commands/all-commands.ts';
import { gateway, makeSitePerFile } from './site-folder.ts';

makeSitePerFile();

/** One per noun: how to create an object twice, a change, and how it shows. */
const CREATIONS: Readonly<
  Record<string, { create: string; stdin?: string; change: string; shown: object; list?: string }>
> = {
  user: {
    create: 'user create --username ci --password-stdin',
    stdin: 'password-1',
    change: '--display-name Builder --usd 100',
    shown: { username: 'ci', display_name: 'Builder', quota: 0 },
  },
  group: {
    create: 'group create --name pro --selectable',
    change: '--ratio 0.5',
    shown: { name: 'pro', ratio: 0.5, selectable: true },
  },
  channel: {
    create: 'channel create --name main --type openai --models gpt-4o --key-stdin',
    stdin: 'sk-x',
    change: '--priority 7',
    shown: { name: 'main', priority: 7, models: 'gpt-4o' },
  },
  token: {
    create: 'token create --name first --usd 1',
    change: '--expires never --group default',
    shown: { name: 'first', remain_quota: 500_000, group: 'default' },
  },
  redemption: {
    create: 'redemption create --key WELCOME-2026 --gift --max-uses 5',
    change: '--usd 2',
    shown: { key: 'WELCOME-2026', quota: 1_000_000, is_gift: true },
  },
  budget: {
    create: 'budget create --user root --usd 5 --per day',
    change: '--warn-at 80',
    shown: { subject: 'user', period: 'day', limit_amount: 2_500_000, warn_at: 80 },
  },
  message: {
    create: 'message send --title Rules --to root --content one',
    change: '--content two',
    shown: { title: 'Rules', content: 'two', total_recipients: 1 },
  },
};

/** Nouns of which a further object of the same name may be created. */
const MAY_REPEAT = new Set(['message', 'budget']);

test('every noun that creates objects of a name is tested here', () => {
  const creating = NOUNS.filter(({ verbs }) => verbs.some((verb) => isCreation(verb.usage)));
  expect(creating.map(({ name }) => name).sort()).toEqual(Object.keys(CREATIONS).sort());
});

function isCreation(usage: string): boolean {
  return usage === 'create' || usage === 'send';
}

test.each(Object.entries(CREATIONS))(
  '%s: a taken name is refused with 6, kept, or changed',
  async (noun, { create, stdin = '', change, shown }) => {
    expect((await gateway(create, { stdin })).exit).toBe(0);
    if (!MAY_REPEAT.has(noun)) {
      const again = await gateway(create, { stdin });
      expect([again.exit, again.out]).toEqual([6, '']);
      expect(again.err).toContain('--if-absent');
    }
    const kept = await gateway(`${create} --if-absent`, { stdin });
    expect([kept.exit, kept.err]).toEqual([0, expect.stringContaining('already exists')]);
    const words = `${create} ${change} --upsert`.replace('--content one ', '');
    const planned = await gateway(`${words} --dry-run`, { stdin });
    expect(planned.out).toContain(`~ update ${noun}`);
    const changed = await gateway(`${words} --json`, { stdin });
    expect([changed.exit, changed.err]).toEqual([0, expect.any(String)]);
    expect(changed.json()).toMatchObject(shown);
    const { items } = (await gateway(`${noun} list --json`)).json();
    const found = items.filter((item: object) => Object.entries(shown).every(has(item)));
    expect(found).toHaveLength(1);
  },
);

function has(item: object) {
  const fields: Readonly<Record<string, unknown>> = { ...item };
  return ([name, value]: readonly [string, unknown]) => fields[name] === value;
}

test('--upsert creates what is missing, and refuses what it cannot decide', async () => {
  const code = 'redemption create --key SPRING-2026 --usd 1 --gift --max-uses 5 --upsert';
  expect((await gateway(code)).exit).toBe(0);
  const other = await gateway(code.replace('--max-uses 5', '--max-uses 6'));
  expect([other.exit, other.err]).toEqual([2, expect.stringContaining('--max-uses')]);
  expect((await gateway('redemption create --name batch --count 2')).exit).toBe(0);
  const several = await gateway('redemption create --name batch --usd 1 --upsert');
  expect([several.exit, several.err]).toEqual([2, expect.stringContaining('batch')]);
  for (const flag of ['--if-absent', '--count 2'])
    expect((await gateway(`token create --name x --upsert ${flag}`)).exit).toBe(2);
  expect((await gateway('redemption create --if-absent')).exit).toBe(2);
});

test('several tokens are not created beside a taken name', async () => {
  expect((await gateway('token create --name team --usd 1')).exit).toBe(0);
  expect((await gateway('token create --name team --count 2')).exit).toBe(6);
  expect((await gateway('token create --name team --count 2 --if-absent')).exit).toBe(0);
});

test('titles of messages may repeat', async () => {
  const send = 'message send --title Monthly --to root --content one';
  expect((await gateway(send)).exit).toBe(0);
  expect((await gateway(send)).exit).toBe(0);
  expect((await gateway(`${send} --upsert`)).exit).toBe(2);
});

test('a custom channel without an address is refused', async () => {
  const create = 'channel create --name own --type custom --models m --key-stdin';
  const { exit, err } = await gateway(create, { stdin: 'sk-x' });
  expect([exit, err]).toEqual([6, expect.stringContaining('--base-url')]);
});
