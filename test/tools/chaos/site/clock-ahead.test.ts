/** Tests the shifted clock of a node in a separate process. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const MODULE = path.join(import.meta.dirname, 'clock-ahead.mjs');
const AHEAD_MS = 120_000;
const IMPORTS = `
  import { types } from 'node:util';
  import { Worker } from 'node:worker_threads';
`;

/**
 * Returns the value of `expression` as JSON, evaluated in a Node.js process whose clock is ahead,
 * and the epoch ms before and after.
 */
function inNodeAhead(expression: string) {
  const written = `process.stdout.write(JSON.stringify(${expression}));`;
  const fromMs = Date.now();
  const text = execFileSync(
    process.execPath,
    ['--import', MODULE, '--input-type=module', '-e', IMPORTS + written],
    { encoding: 'utf8', env: { CLUSTER_CLOCK_AHEAD_MS: String(AHEAD_MS) } },
  );
  return { value: JSON.parse(text), fromMs, toMs: Date.now() };
}

test.each([
  'Date.now()',
  'new Date().getTime()',
  'new (class extends Date {})().getTime()',
  // Has no milliseconds.
  'Date.parse(Date()) + 999',
])('%s returns a time two minutes ahead', (expression) => {
  const { value, fromMs, toMs } = inNodeAhead(expression);
  expect(value).toBeGreaterThanOrEqual(fromMs + AHEAD_MS);
  expect(value).toBeLessThanOrEqual(toMs + AHEAD_MS + 999);
});

test('shifts the clock of worker threads as well', () => {
  const { value, fromMs } = inNodeAhead(`await new Promise((resolve) => {
    const code = "import('node:worker_threads').then((it) => it.parentPort.postMessage(Date.now()))";
    new Worker(code, { eval: true }).once('message', resolve);
  })`);
  expect(value).toBeGreaterThanOrEqual(fromMs + AHEAD_MS);
});

test('does not shift explicit times and still creates Date objects', () => {
  const { value } = inNodeAhead(`[
    new Date(5).getTime(), new Date('1970-01-02').getTime(), new Date(1970, 0, 2).getDate(),
    Date.UTC(1970, 0, 2), new Date() instanceof Date, new Date().constructor === Date,
    types.isDate(new Date()),
  ]`);
  expect(value).toEqual([5, 86_400_000, 2, 86_400_000, true, true, true]);
});
