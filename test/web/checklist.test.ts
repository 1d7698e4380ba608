/** Checks that every test named in the checklist exists under that name. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const NAMED = /`(test\/[\w/-]+\.(?:spec|test)\.ts): ([^`]+)`/g;
/** Placeholders in the titles of parameterised tests. */
const PLACE = /%[a-z]|…/;

test('every test named in the checklist exists', async () => {
  const checklist = await readFile('docs/console-checklist.md', 'utf8');
  const named = [...checklist.matchAll(NAMED)].map(([, file = '', name = '']) => ({ file, name }));
  expect(named.length).toBeGreaterThan(100);
  const missing: string[] = [];
  for (const { file, name } of named) {
    const source = await readFile(file, 'utf8').catch(() => '');
    const parts = name.split(PLACE).map((part) => part.trim());
    if (!parts.every((part) => source.includes(part))) missing.push(`${file}: ${name}`);
  }
  expect(missing).toEqual([]);
});
