/** Checks that docs/contributing.md quotes tests that exist, and pages that its recipes extend. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { JOB_NAMES } from '../../src/domain/jobs.ts';

const GUIDE = readFileSync('docs/contributing.md', 'utf8').replaceAll(/\s+/g, ' ');
/** `test/file.test.ts` fails ("title"). */
const QUOTE = /`(test\/[^`]+\.test\.ts)`[^`"]*\("([^"]+)"/g;

const quotes = [...GUIDE.matchAll(QUOTE)].map(([, file = '', title = '']) => ({ file, title }));

test('the recipes quote at least eight tests', () => {
  expect(quotes.length).toBeGreaterThanOrEqual(8);
});

test.each(quotes)('$file has the test "$title"', ({ file, title }) => {
  const source = readFileSync(file, 'utf8');
  expect(source.includes(`'${title}'`) || source.includes(`"${title}"`)).toBe(true);
});

test('docs/jobs.md lists every job', () => {
  const page = readFileSync('docs/jobs.md', 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \| .+ \| .+ \|$/gm)].map(([, name]) => name);
  expect(listed.filter((name) => JOB_NAMES.some((job) => job === name)).sort()).toEqual(
    [...JOB_NAMES].sort(),
  );
});
