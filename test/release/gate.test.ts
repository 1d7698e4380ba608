/** The gate's summary: which tests count as passed, and what its last lines list. Sizes of two builds. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

let folder: string;

beforeEach(() => {
  folder = tempFolder();
});

type Status = 'passed' | 'failed' | 'pending' | 'skipped';

function vitest(report: string, tests: Record<string, Status>) {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === 'failed' ? ['expected 1 to be 2\n\n    at one.test.ts:3'] : [],
  }));
  const failed = Object.values(tests).includes('failed');
  const name = path.resolve('test/one.test.ts');
  const testResults = [{ name, status: failed ? 'failed' : 'passed', assertionResults }];
  write(report, { testResults: assertionResults.length === 0 ? [] : testResults });
}

function playwright(status: 'expected' | 'unexpected' | 'flaky') {
  const stats = { expected: 0, unexpected: 0, flaky: 0, skipped: 0, [status]: 1 };
  const results = status === 'expected' ? [{}] : [{ error: { message: 'no such button' } }];
  const spec = { file: 'shell.spec.ts', title: 'opens', tests: [{ status, results }] };
  write('playwright', { stats, errors: [], suites: [{ specs: [], suites: [{ specs: [spec] }] }] });
}

function write(report: string, content: object) {
  writeFileSync(path.join(folder, `${report}.json`), JSON.stringify(content));
}

const ALL = ['checks', 'tests', 'browser'];

async function sum(status = 0, parts: readonly string[] = ALL) {
  const args = ['.ci/sum.mjs', folder, String(status), ...parts];
  const { stdout, exitCode } = await execa('node', args, { reject: false });
  return { lines: stdout.split('\n'), last: stdout.split('\n').at(-1), exitCode };
}

test('exits with 0 if every test passed', async () => {
  vitest('vitest-all', { adds: 'passed', multiplies: 'passed' });
  playwright('expected');
  expect(await sum()).toMatchObject({ last: '3 passed, 0 failed', exitCode: 0 });
});

test('lists failed tests with their reasons at the end', async () => {
  vitest('vitest-all', { adds: 'passed', multiplies: 'failed' });
  playwright('unexpected');
  const { lines, last, exitCode } = await sum(1);
  expect(lines).toContain('FAILED: test/one.test.ts › multiplies');
  expect(lines).toContain('    expected 1 to be 2');
  expect(lines).toContain('FAILED: shell.spec.ts › opens');
  expect(lines).toContain('    no such button');
  expect({ last, exitCode }).toEqual({ last: '1 passed, 2 failed', exitCode: 1 });
});

test('counts a test that passed when repeated as passed and lists it as unsteady', async () => {
  vitest('vitest-all', { adds: 'passed', multiplies: 'failed' });
  vitest('vitest-again', { adds: 'passed', multiplies: 'passed' });
  playwright('flaky');
  const { lines, last, exitCode } = await sum();
  expect(lines).toContain('UNSTEADY, passed when repeated: test/one.test.ts › multiplies');
  expect(lines).toContain('UNSTEADY, passed when repeated: shell.spec.ts › opens');
  expect({ last, exitCode }).toEqual({ last: '3 passed, 0 failed', exitCode: 0 });
});

test('counts a test that failed twice, or was missing from the repetition, as failed', async () => {
  vitest('vitest-all', { adds: 'failed', multiplies: 'failed' });
  vitest('vitest-again', { multiplies: 'failed' });
  playwright('expected');
  expect(await sum(1)).toMatchObject({ last: '1 passed, 2 failed', exitCode: 1 });
});

test('counts a test file that could not be loaded as failed unless its repetition passed', async () => {
  const unloaded = {
    name: path.resolve('test/two.test.ts'),
    status: 'failed',
    message: 'Cannot find module',
    assertionResults: [],
  };
  write('vitest-all', { testResults: [unloaded] });
  playwright('expected');
  const { lines, last } = await sum(1);
  expect(lines).toContain('FAILED: test/two.test.ts › was not loaded');
  expect(last).toBe('1 passed, 1 failed');
  write('vitest-again', { testResults: [repeated('test/two.test.ts', 'passed')] });
  expect(await sum()).toMatchObject({ last: '2 passed, 0 failed', exitCode: 0 });
  write('vitest-again', { testResults: [repeated('test/two.test.ts', 'failed')] });
  expect(await sum(1)).toMatchObject({ last: '1 passed, 1 failed', exitCode: 1 });
});

function repeated(name: string, status: Status) {
  return { name: path.resolve(name), status, assertionResults: [{ fullName: 'adds', status }] };
}

test('counts a skipped test, a failed step and a missing report as failed', async () => {
  playwright('expected');
  expect(await sum()).toMatchObject({ last: '1 passed, 1 failed', exitCode: 1 });
  vitest('vitest-all', { adds: 'passed', multiplies: 'pending' });
  expect(await sum()).toMatchObject({ last: '2 passed, 1 failed', exitCode: 1 });
  vitest('vitest-all', { adds: 'passed' });
  expect(await sum(1)).toMatchObject({ last: '2 passed, 1 failed', exitCode: 1 });
});

test('expects the reports of the parts that ran, and no more', async () => {
  vitest('vitest-all', { adds: 'passed' });
  expect(await sum(0, ['tests'])).toMatchObject({ last: '1 passed, 0 failed', exitCode: 0 });
  expect(await sum(0, ['fast'])).toMatchObject({ last: '0 passed, 2 failed', exitCode: 1 });
  playwright('expected');
  expect(await sum(0, ['browser'])).toMatchObject({ last: '1 passed, 0 failed', exitCode: 0 });
});

test('does not count what the fast part skips, because it has no servers', async () => {
  vitest('vitest-fast', { adds: 'passed', multiplies: 'pending' });
  playwright('expected');
  expect(await sum(0, ['fast'])).toMatchObject({ last: '2 passed, 0 failed', exitCode: 0 });
});

test('prints the files of failed tests and exits with 1 if there are none', async () => {
  const files = () => execa('node', ['.ci/failed-files.mjs', folder, ...ALL], { reject: false });
  vitest('vitest-all', { adds: 'passed', multiplies: 'failed', divides: 'failed' });
  expect(await files()).toMatchObject({ stdout: 'test/one.test.ts', exitCode: 0 });
  vitest('vitest-all', { adds: 'passed' });
  expect(await files()).toMatchObject({ stdout: '', exitCode: 1 });
});

test('compares the sizes of two builds by file, whatever the hashes in their names', async () => {
  const build = (name: string, files: Readonly<Record<string, number>>) => {
    const dist = path.join(folder, name);
    mkdirSync(path.join(dist, 'web/assets'), { recursive: true });
    for (const [file, bytes] of Object.entries(files))
      writeFileSync(path.join(dist, file), randomBytes(bytes));
    return dist;
  };
  const before = build('before', { 'main.js': 1000, 'web/assets/Log-a_b-1234.js': 5000 });
  const now = build('now', {
    'main.js': 3000,
    'a-ABCD1234.js': 500,
    'web/assets/Log-5678x_y-.js': 5000,
  });
  const { stdout } = await execa('node', ['.ci/sizes.mjs', before, now]);
  const rows = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.map(([, title, , , change]) => [title, change])).toEqual([
    ['kB after gzip', 'change'],
    ['---', '---'],
    ['main.js, read by every command', '+2.0'],
    ['server and commands', '+2.5'],
    ['console, scripts', '0.0'],
    ['console, styles', '0.0'],
    ['main.js', '+2.0'],
    ['a.js', '+0.5'],
  ]);
});
