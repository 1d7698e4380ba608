/**
 * Checks that names exported by dialects, providers and domain are not exported by other files
 * under src with another meaning.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const EXPORT =
  /^export (?:abstract )?(?:async )?(?:type|interface|class|function\*?|const) (\w+)/gm;
const ONE_MEANING = /^(?:dialects|providers|domain)[\\/]/;
/** Names with the same meaning in both files: a schema and its rule, or a type and its values. */
const SAME_MEANING: ReadonlySet<string> = new Set([
  'ChannelType',
  'Effort',
  'ErrorClass',
  'HourlyUsage',
  'JsonObject',
  'MANAGE_ACTIONS',
  'Role',
]);
async function exportedNames(): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = await readdir('src', { recursive: true });
  // The fake upstream uses the terms of other vendors.
  const own = files.filter((file) => /\.tsx?$/.test(file) && !/^demo[\\/]/.test(file));
  const pairs = own.flatMap((file) => {
    const source = readFileSync(join('src', file), 'utf8');
    const names = [...source.matchAll(EXPORT)].map(([, name = '']) => name);
    return [...new Set(names)].map((name) => [name, file] as const);
  });
  const grouped = new Map<string, string[]>();
  for (const [name, file] of pairs) grouped.set(name, [...(grouped.get(name) ?? []), file]);
  return grouped;
}

test('no name exported by dialects, providers or domain has another meaning elsewhere', async () => {
  const names = await exportedNames();
  expect(names.size).toBeGreaterThan(3000);
  const doubled = [...names]
    .filter(([, files]) => files.length > 1 && files.some((file) => ONE_MEANING.test(file)))
    .filter(([name]) => !SAME_MEANING.has(name))
    .map(([name, files]) => `${name}: ${files.join(', ')}`);
  expect(doubled).toEqual([]);
});
