/** Checks that the check of the nodes table finds wrong entries and nothing else. */
import { expect, test } from 'vitest';
import { databases, freshDatabase } from '../support/databases.ts';
import { entries, rollFindings } from './roll.ts';

const node = { name: 'node1', pid: 7, sinceMs: 100_000, aheadMs: 0 };
const entry = { pid: 7, startedAtMs: 99_000, aheadMs: 3 };

test.each([
  ['a node that signed up once', node, entry, []],
  ['one that signed up soon after a long silence', node, { ...entry, startedAtMs: 110_000 }, []],
  [
    'one whose clock is ahead as it should be',
    { ...node, aheadMs: 120_000 },
    { ...entry, aheadMs: 119_990 },
    [],
  ],
  [
    'one that signed up anew while it lived',
    node,
    { ...entry, startedAtMs: 130_000 },
    ['node1 was struck off the nodes while it lived (signed up anew 1970-01-01T00:02:10.000Z)'],
  ],
  ['one that is missing', node, { ...entry, pid: 8 }, ['node1 lives and is struck off the nodes']],
  [
    'one whose clock was not changed',
    { ...node, aheadMs: 120_000 },
    entry,
    ['the clock of node1 is ahead by 3 ms, not by 120000'],
  ],
])('%s', (_what, running, found, findings) => {
  expect(rollFindings([running], [found])).toEqual(findings);
});

test.each(databases)('reads the nodes table on $kind', async ({ kind }) => {
  const database = await freshDatabase(kind);
  const times = { started_at: 99, seen_at: 105, skew_ms: 3 };
  const row = { id: 'one', host: 'here', pid: 7, version: '1', ...times };
  await database.db('nodes').insert(row);
  const found = await entries(database);
  await database.drop();
  expect(found).toEqual([entry]);
});
