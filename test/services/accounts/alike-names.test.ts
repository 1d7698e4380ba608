/** Names that look like another, and characters that change how a line reads, are refused. */
import { expect, test } from 'vitest';
import { csvText } from '../../../src/services/logs/csv.ts';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite();

const register = (username: string) =>
  site.as({ kind: 'operator' }).account.register({ username, password: 'long enough 1' });
const TAKEN = { code: 'user_name_taken' };

test('a name in other case or width is taken, also for a rename and an administrator', async () => {
  await register('Zebra');
  await expect(register('zEBRA')).rejects.toMatchObject(TAKEN);
  await expect(register('ｚｅｂｒａ')).rejects.toMatchObject(TAKEN);
  const create = site.as({ kind: 'operator' }).user.create;
  const password = 'long enough 1';
  await expect(create({ username: 'ZEBRA', password })).rejects.toMatchObject(TAKEN);
  const { id } = await create({ username: 'lion', password });
  const edit = site.as({ kind: 'operator' }).user.edit;
  await expect(edit({ id, username: 'zebrA' })).rejects.toMatchObject(TAKEN);
  expect((await edit({ id, username: 'Lion' })).username).toBe('Lion');
});

test.each(['аdmin', 'rооt', 'R00T', 'adm1n', 'Ádmin', 'ѕystem'])(
  '%s imitates a name of the site',
  async (name) => {
    await expect(register(name)).rejects.toMatchObject(TAKEN);
  },
);

test('the name of an administrator cannot be imitated, that of a user can', async () => {
  const create = site.as({ kind: 'operator' }).user.create;
  const password = 'long enough 1';
  await create({ username: 'maria', password, role: 10 });
  await create({ username: 'peter', password });
  await expect(register('mаriа')).rejects.toMatchObject(TAKEN);
  await register('pеter');
});

test("another user's address is no name", async () => {
  const create = site.as({ kind: 'operator' }).user.create;
  const password = 'long enough 1';
  await create({ username: 'anna', password, email: 'An@x.io' });
  await expect(register('an@x.io')).rejects.toMatchObject(TAKEN);
});

test.each(['a\u001b[31m', 'a\nb', 'a\u202eb', 'a\u2028b', 'a\u200fb'])(
  'the name %j is refused for tokens, channels and codes',
  async (name) => {
    const owner = await site.addUser();
    await expect(site.addToken({ owner, name })).rejects.toThrow();
    await expect(site.addChannel({ name })).rejects.toThrow();
  },
);

test('each cell of a spreadsheet is text, wherever it is separated', () => {
  const cells = ['=1', ';=1', '，=1', 'a;=1', 'a，@b', '|=1', ' =1'];
  for (const cell of cells) {
    const text = csvText([[cell]]).replaceAll('"', '');
    expect(text.split(/[;，|]/).every((part) => !/^\s*[=+@-]/.test(part))).toBe(true);
  }
  expect(csvText([['a-b', -5, 'x; y', { a: [1, -2] }]])).toBe('a-b,-5,x; y,"{""a"":[1,-2]}"\n');
});
