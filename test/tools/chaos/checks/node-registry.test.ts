/** Checks that the check of the nodes table finds wrong rows and nothing else. */
import { expect, test } from 'vitest';
import { databases, freshDatabase } from '../../../support/databases.ts';
import { registeredNodes, registryFindings } from './node-registry.ts';

const node = { name: 'node1', pid: 7, sinceMs: 100_000, aheadMs: 0 };
const entry = { pid: 7, startedAtMs: 99_000, aheadMs: 3 };

test.each([
  ['a node that registered once', node, entry, []],
  [
    'one that registered again soon after a long silence',
    node,
    { ...entry, startedAtMs: 110_000 },
    [],
  ],
  [
    'one whose clock is ahead as it should be',
    { ...node, aheadMs: 120_000 },
    { ...entry, aheadMs: 119_990 },
    [],
  ],
  [
    'one that was removed while it was running',
    node,
    { ...entry, startedAtMs: 130_000 },
    ['node1 was removed while it was running (registered again 1970-01-01T00:02:10.000Z)'],
  ],
  ['one that is missing', node, { ...entry, pid: 8 }, ['node1 is running but not registered']],
  [
    'one whose clock was not changed',
    { ...node, aheadMs: 120_000 },
    entry,
    ['the clock of node1 is ahead by 3 ms, not by 120000'],
  ],
])('%s', (_what, running, found, findings) => {
  expect(registryFindings([running], [found])).toEqual(findings);
});

test.each(databases)('reads the nodes table on $kind', async ({ kind }) => {
  const database = await freshDatabase(kind);
  const times = { started_at: 99, seen_at: 105, skew_ms: 3 };
  const row = { id: 'one', host: 'here', pid: 7, version: '1', ...times };
  await database.db('nodes').insert(row);
  const found = await registeredNodes(database);
  await database.drop();
  expect(found).toEqual([entry]);
});
