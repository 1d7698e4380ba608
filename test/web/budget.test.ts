import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
// @ts-expect-error a script without types: a plain function of it is used
import { BUDGET_FILES, BUDGET_KB, firstLoad } from '../../web/budget.mjs';

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url));

test('every file that the page names is in the build', async () => {
  const page = await readFile(`${BUILT}/index.html`, 'utf8');
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => `${BUILT}${file}`);
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('the first page load stays within the size budget', async () => {
  const { js, css, files } = await firstLoad();
  expect(js).toBeGreaterThan(50);
  expect(js).toBeLessThanOrEqual(BUDGET_KB.js);
  expect(css).toBeLessThanOrEqual(BUDGET_KB.css);
  expect(files).toBeLessThanOrEqual(BUDGET_FILES);
});
