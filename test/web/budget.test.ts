import { expect, test } from 'vitest';
// @ts-expect-error a script without types: a plain function of it is used
import { BUDGET_FILES, BUDGET_KB, firstLoad } from '../../web/budget.mjs';

test('the first page load stays within the size budget', async () => {
  const { js, css, files } = await firstLoad();
  expect(js).toBeGreaterThan(50);
  expect(js).toBeLessThanOrEqual(BUDGET_KB.js);
  expect(css).toBeLessThanOrEqual(BUDGET_KB.css);
  expect(files).toBeLessThanOrEqual(BUDGET_FILES);
});
