/** Checks that no name exported by a file of the console is exported by another one. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join('web', 'src');
const EXPORT = /^export (?:async )?(?:type|interface|class|function\*?|const) (\w+)/gm;

test('no exported name of the console has two meanings', async () => {
  const files = await readdir(ROOT, { recursive: true });
  const filesByName = new Map<string, string[]>();
  for (const file of files.filter((name) => /\.tsx?$/.test(name))) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    for (const name of new Set([...source.matchAll(EXPORT)].map(([, name = '']) => name)))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
  }
  expect(filesByName.size).toBeGreaterThan(1000);
  const doubled = [...filesByName]
    .filter(([, own]) => own.length > 1)
    .map(([name, own]) => `${name}: ${own.join(', ')}`);
  expect(doubled).toEqual([]);
});
