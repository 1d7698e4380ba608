/** The questions of commands on a terminal: nothing typed takes the proposal, a bad answer is asked again. */
import { expect, test } from 'vitest';
import { folder, gateway, makeFolderPerTest, setUp } from './site-folder.ts';

makeFolderPerTest();

test('set-up takes its proposals, and judges a password before it is repeated', async () => {
  const answers = ['', 'short', 'password-1', 'password-2', 'password-1', 'password-1', ''];
  const done = await gateway('setup --json', { answers });
  expect(done.exit, done.err).toBe(0);
  expect(done.json()).toMatchObject({ username: 'root' });
  expect(done.questions.map((question) => question.split(' ')[0])).toEqual([
    'Username',
    ...['Password', 'Password', 'Password'],
    ...['Password', 'Password', 'Language'],
  ]);
  expect(done.err).toContain('Must have at least 8 characters');
  expect(done.err).toContain('The two passwords differ.');
});

test('a new account is asked for in the same way', async () => {
  await setUp();
  const answers = ['a'.repeat(200), 'alice', 'short', 'password-1', 'password-1'];
  const done = await gateway('user create --json', { answers });
  expect(done.json()).toMatchObject({ username: 'alice' });
  expect(done.questions).toHaveLength(5);
});

const CREATE = 'channel create --name own --models m --json';

test.each([
  ['sk-ant-api03-abc', [''], 14],
  ['sk-abc', [''], 1],
  ['sk-abc', ['deepseek'], 43],
])(
  'the type of a channel is asked for, and the key %s proposes one',
  async (key, answers, type) => {
    await setUp();
    const env = { KEY: key };
    const done = await gateway(`${CREATE} --key-env KEY`, { answers, env });
    expect(done.questions).toEqual(['Type of the service']);
    const made = await gateway('channel get own --json');
    expect(made.json()).toMatchObject({ type });
  },
);

test('a type is found by its other names, and asked for again if nothing matches', async () => {
  await setUp();
  const env = { KEY: 'sk-abc' };
  const answers = ['no such service', 'anthropic', ''];
  const done = await gateway(`${CREATE} --key-env KEY`, { answers, env });
  expect(done.err).toContain('Nothing in the list matches');
  expect((await gateway('channel get own --json')).json()).toMatchObject({ type: 14 });
});

test('a key of another service than the chosen one is asked about', async () => {
  await setUp();
  const done = await gateway(CREATE, { answers: ['openai', 'sk-ant-api03-abc', 'y'] });
  expect(done.questions).toHaveLength(3);
  expect((await gateway('channel get own --json')).json()).toMatchObject({ type: 14 });
});

test('a type that has no address of its own asks for it', async () => {
  await setUp();
  const done = await gateway(CREATE, { answers: ['custom', 'k', 'http://127.0.0.1:9'] });
  expect(done.exit, done.err).toBe(0);
  expect((await gateway('channel get own --json')).json()).toMatchObject({
    type: 8,
    base_url: 'http://127.0.0.1:9',
  });
});

test('without a terminal the form of the key says the type, and a given type is only warned of', async () => {
  await setUp();
  const env = { KEY: 'AIzaSyA-abcdefghijklmnopqrstuvwxyz01234', GATEWAY_DATA: folder };
  const guessed = await gateway(`${CREATE} --key-env KEY`, { env });
  expect(guessed.err).toContain('Type gemini');
  expect((await gateway('channel get own --json')).json()).toMatchObject({ type: 24 });
  const given = CREATE.replace('own', 'other');
  const warned = await gateway(`${given} --type openai --key-env KEY`, { env });
  expect([warned.exit, warned.err]).toEqual([
    0,
    expect.stringContaining('form of a key of gemini'),
  ]);
  expect((await gateway('channel get other --json')).json()).toMatchObject({ type: 1 });
});
