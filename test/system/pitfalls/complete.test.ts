import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type NamedTest, namedTests, PITFALLS, UNTESTED } from './list.ts';

const FOLDER = new URL('.', import.meta.url);

function allNamed(): NamedTest[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.test.ts'));
  return files.flatMap((file) => namedTests(file, readFileSync(new URL(file, FOLDER), 'utf8')));
}

test('every pitfall has one test with its number, or a reason why not', () => {
  const ids = [...allNamed().map(({ id }) => id), ...Object.keys(UNTESTED)].sort();
  const all = Array.from({ length: PITFALLS }, (_, at) => `D${String(at + 1).padStart(2, '0')}`);
  expect(ids).toEqual(all);
});
