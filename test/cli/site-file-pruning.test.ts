/** `gateway apply --prune`: deletes the channels of a tag that the document does not name. */
import { expect, test } from 'vitest';
import { fileOf, gateway, makeSitePerFile } from './site-folder.ts';

makeSitePerFile();

test('stays within its tag and asks for confirmation', async () => {
  const channels = ['main', 'stray', 'foreign'].map((name) => ({
    name,
    key: 'sk-1',
    models: ['gpt-4o'],
    ...(name !== 'foreign' && { tag: 'managed' }),
  }));
  await gateway(`apply -f ${await fileOf({ channels })} --yes --json`);
  const file = await fileOf({ channels: [{ name: 'main' }] });
  expect((await gateway(`apply -f ${file} --yes --prune`)).exit).toBe(2);
  expect((await gateway(`apply -f ${file} --prune --tag managed`)).exit).toBe(2);
  const done = await gateway(`apply -f ${file} --prune --tag managed --yes --json`);
  expect(done.json().items).toMatchObject([
    { result: 'same' },
    { action: 'delete', name: 'stray' },
  ]);
  const left = (await gateway('channel list --json')).json().items;
  expect(left.map(({ name }: { name: string }) => name).sort()).toEqual(['foreign', 'main']);
});

const managed = (names: readonly string[]) =>
  names.map((name) => ({ name, key: 'sk-1', models: ['gpt-4o'], tag: 'fleet' }));
const fleet = ['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'];
const namesOfFleet = async () =>
  (await gateway('channel list --tag fleet --json')).json().items.length;

test('deletes no channels if no channels are applied', async () => {
  await gateway(`apply -f ${await fileOf({ channels: managed(fleet) })} --yes --json`);
  const file = await fileOf({ options: { RetryTimes: 3 } });
  const done = await gateway(`apply -f ${file} --prune --tag fleet --yes`);
  expect(done.err).toContain('--prune deletes none');
  expect(done.exit).toBe(0);
  const other = await fileOf({ options: { RetryTimes: 3 }, channels: managed(['f1']) });
  const only = await gateway(
    `apply -f ${other} --only options --prune --tag fleet --allow-mass-delete --yes`,
  );
  expect(only.exit).toBe(0);
  expect(await namesOfFleet()).toBe(8);
});

test.each([
  ['an empty list', []],
  ['more than half of the channels of a tag', ['f1', 'f2']],
])('refuses %s without --allow-mass-delete', async (_, kept) => {
  const file = await fileOf({ channels: managed(kept) });
  const plan = await gateway(`plan -f ${file} --prune --tag fleet --exit-code`);
  expect(plan.exit).toBe(9);
  expect(plan.err).toContain(`${8 - kept.length} of the 8 channels with the tag fleet`);
  const refused = await gateway(`apply -f ${file} --prune --tag fleet --yes`);
  expect(refused.err).toContain('f8');
  expect(refused.err).toContain('--allow-mass-delete');
  expect(refused.exit).toBe(6);
  expect(await namesOfFleet()).toBe(8);
});

test('deletes that many with --allow-mass-delete', async () => {
  const file = await fileOf({ channels: [] });
  const done = await gateway(`apply -f ${file} --prune --tag fleet --allow-mass-delete --yes`);
  expect(done.exit).toBe(0);
  expect(await namesOfFleet()).toBe(0);
});
