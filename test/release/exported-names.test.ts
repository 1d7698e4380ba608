/** Checks that no two files under src export the same name with different meanings. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const EXPORT =
  /^export (?:abstract )?(?:async )?(?:type|interface|class|function\*?|const) (\w+)(.*)/gm;
/**
 * Implementations of API calls and CLI commands have the name of the call or command and are
 * reached through their noun only.
 */
const NAMED_BY_TABLE = /^: (?:Calls|Service<.*>)\['\w+'\]|^: Noun =|^ = (?:list;|command\()/;
/** Names with one meaning in several files: a schema and the type or rule of its values. */
const SAME_MEANING: ReadonlySet<string> = new Set([
  'Budget',
  'Channel',
  'ChannelType',
  'Effort',
  'HourlyUsage',
  'Log',
  'LogStat',
  'MANAGE_ACTIONS',
  'Overview',
  'PageQuery',
  'Redemption',
  'User',
]);

async function exportedNames(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = await readdir('src', { recursive: true });
  // The fake upstream uses the terms of other vendors.
  const own = files.filter((file) => /\.tsx?$/.test(file) && !/^demo[\\/]/.test(file));
  const grouped = new Map<string, string[]>();
  for (const file of own) {
    const exported = [...readFileSync(join('src', file), 'utf8').matchAll(EXPORT)]
      .filter(([, , rest = '']) => !NAMED_BY_TABLE.test(rest))
      .map(([, name = '']) => name);
    for (const name of new Set(exported)) grouped.set(name, [...(grouped.get(name) ?? []), file]);
  }
  return grouped;
}

test('no exported name has two meanings', async () => {
  const names = await exportedNames();
  expect(names.size).toBeGreaterThan(3000);
  const doubled = [...names]
    .filter(([name, files]) => files.length > 1 && !SAME_MEANING.has(name))
    .map(([name, files]) => `${name}: ${files.join(', ')}`);
  expect(doubled).toEqual([]);
});
