/** Documents of a site that are refused: each problem with its line and entry, before any change. */
import { expect, test } from 'vitest';
import { fileOf, gateway, makeSitePerFile } from './site-folder.ts';

const env = { ALICE_PASSWORD: 'battery staple', SMTP: 'mail-secret' };

makeSitePerFile();

test('refuses a secret option in the document itself and names where it belongs', async () => {
  const file = await fileOf({ options: { RetryTimes: 1, SMTPToken: 'hunter2' } });
  const { err, exit } = await gateway(`apply -f ${file} --yes`, { env });
  expect(err).toContain('options.SMTPToken: is a secret: name its variable or file in optionsFrom');
  expect(err).not.toContain('hunter2');
  expect(exit).toBe(2);
});

test.each([
  [{ chanels: [] }, 6, 'chanels'],
  [{ groups: [{ name: 'a', ration: 1 }] }, 6, 'line 1, group "a": has unknown fields: ration'],
  [{ channels: [{ name: 'new' }] }, 6, 'line 1, channel "new", models: must not be empty'],
  [{ channels: [{ name: 'a', type: 'opneai', models: 'm' }] }, 6, 'Did you mean openai?'],
  [{ channels: [{ name: 'a', key: 'x', keyFrom: { env: 'SMTP' } }] }, 2, 'channel "a", keyFrom'],
  [{ channels: [{ name: 'a', keyFrom: { env: 'NOT_SET' } }] }, 2, 'NOT_SET'],
  [{ groups: [{ name: 'a' }, { name: 'a' }] }, 2, 'group "a"'],
  [{ groups: [], options: { GroupRatio: {} } }, 2, 'options.GroupRatio'],
  [{ options: { NoSuchOption: 1 } }, 5, 'NoSuchOption'],
  [{ users: [{ username: 'bob' }] }, 2, 'user "bob", passwordFrom'],
  [{ tokens: [{ name: 't', user: 'alice', expires: '30d' }] }, 2, 'API token "t", expires'],
])('refuses %o before writing anything', async (document, exit, location) => {
  const answer = await gateway(`apply -f ${await fileOf(document)} --yes`, { env });
  expect(answer.err).toContain(location);
  expect(answer.exit).toBe(exit);
});

test('names line and entry of every problem of a document, in both languages', async () => {
  const file = await fileOf(`channels:
  - name: main # the first
    models: [gpt-4o]
  - name: v1.2 "spare"
    models: [gpt-4o]
    weight: 5

    priority: high
    wieght: 1
  - models: [gpt-4o]
tokens:
  - { name: ci, user: alice, rate_limit_count: -1 }
options:
  performance_setting.disk_cache_enabled: null
chanels: []
`);
  const english = await gateway(`apply -f ${file} --yes`, { env });
  expect(english.err.replaceAll('error: ', '').split('\n').slice(0, -1)).toEqual([
    'line 14, options.performance_setting.disk_cache_enabled: has a type that is not accepted here',
    'line 8, channel "v1.2 "spare"", priority: must be a number',
    'line 9, channel "v1.2 "spare"": has unknown fields: wieght',
    'line 10, channel #3, name: is missing',
    'line 12, API token "ci", rate_limit_count: must be at least 0',
    'line 15: has unknown fields: chanels',
  ]);
  const chinese = await gateway(`plan -f ${file}`, { env: { ...env, GATEWAY_LANG: 'zh' } });
  expect(chinese.err).toContain('第 8 行，渠道“v1.2 "spare"”，priority：必须是数字\n');
  expect(chinese.err).toContain('第 10 行，渠道 #3，name：');
  const { error } = JSON.parse((await gateway(`apply -f ${file} --yes --json`, { env })).err);
  expect(error.code).toBe('input_invalid');
});

test('plan finds what apply would refuse: unknown users, groups and values, all of them at once', async () => {
  const file = await fileOf(`users:
  - { username: zoe, group: nowhere, passwordFrom: { env: NOT_SET } }
  - { username: yan, group: nowhere, passwordFrom: { env: ALICE_PASSWORD } }
tokens:
  - { name: a, user: nobody }
  - { name: b, user: yan, group: nowhere }
  - { name: b, user: yan }
channels:
  - { name: x, type: openai, key: k, models: [m], groups: [elsewhere] }
options:
  RetryTimes: many
  NoSuchOption: 1
`);
  const plan = await gateway(`plan -f ${file}`, { env });
  expect(plan.exit).not.toBe(0);
  expect(
    plan.err
      .replaceAll('error: ', '')
      .split('\n')
      .filter((line) => /^line/.test(line))
      .sort(),
  ).toEqual([
    expect.stringMatching(/^line 11, options.RetryTimes: /),
    'line 12, options.NoSuchOption: There is no option NoSuchOption.',
    expect.stringMatching(/^line 2, user "zoe", group: There is no group nowhere/),
    expect.stringMatching(/^line 2, user "zoe", passwordFrom/),
    expect.stringMatching(/^line 3, user "yan", group: There is no group nowhere/),
    expect.stringMatching(/^line 5, API token "a", user: There is no user nobody/),
    expect.stringMatching(/^line 6, API token "b", group: nowhere cannot be used/),
    expect.stringMatching(/^line 7, API token "b": /),
    expect.stringMatching(/^line 9, channel "x".*elsewhere/),
  ]);
  const applied = await gateway(`apply -f ${file} --yes`, { env });
  expect([applied.exit, applied.err]).toEqual([plan.exit, plan.err]);
  const noUsers = await gateway(`plan -f ${file} --only tokens`, { env });
  expect(noUsers.err).toContain('There is no user yan.');
});

test('plan checks the models of tokens against what will be served to their owners', async () => {
  const channels = `channels:
  - { name: limited, type: openai, key: k, models: [served-1], model_prefix: eu/, groups: [default] }
  - { name: other-group, type: openai, key: k, models: [served-2], groups: [svip] }
`;
  const tokens = (model: string) =>
    `${channels}tokens:\n  - { name: lim, user: root, model_limits_enabled: true, model_limits: ['${model}'] }\n`;
  for (const model of ['unserved', 'served-1', 'served-2']) {
    const file = await fileOf(tokens(model));
    const plan = await gateway(`plan -f ${file}`, { env });
    expect([plan.exit, plan.err]).toEqual([
      6,
      expect.stringContaining(`API token "lim", model_limits: no channel serves ${model}`),
    ]);
    expect((await gateway(`apply -f ${file} --yes`, { env })).exit).toBe(6);
  }
  const file = await fileOf(tokens('eu/served-1'));
  const applied = await gateway(`apply -f ${file} --yes`, { env });
  expect([applied.exit, applied.err]).toEqual([0, expect.not.stringContaining('error')]);
  await gateway('channel delete limited --yes --force');
  await fileOf(tokens('eu/served-1').replace(channels, ''));
  expect((await gateway(`plan -f ${file}`, { env })).err).toBe('');
});

test('a budget of what neither the document nor the site has is refused with its place', async () => {
  const entry = { limit_amount: 1, period: 'day' };
  const budgets = [
    { ...entry, subject: 'token', name: 'alice/nobodys' },
    { ...entry, subject: 'user', name: 'missing' },
  ];
  const { err, exit } = await gateway(`plan -f ${await fileOf({ budgets })}`, { env });
  expect(exit).not.toBe(0);
  expect(err).toContain('budget of "alice/nobodys"');
  expect(err).toContain('budget of "missing"');
});

test('an empty document is called empty', async () => {
  const empty = await gateway('plan -f -', { stdin: '# nothing\n' });
  expect([empty.exit, empty.err]).toEqual([2, expect.stringContaining('the document is empty')]);
});
