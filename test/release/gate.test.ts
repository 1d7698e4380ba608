/** How the gate adds up: what it may call passed, and what it must name. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-gate-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

type Status = 'passed' | 'failed';

function vitest(report: string, tests: Record<string, Status>) {
  const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
    fullName,
    status,
    failureMessages: status === 'failed' ? ['expected 1 to be 2\n\n    at one.test.ts:3'] : [],
  }));
  const failed = Object.values(tests).filter((status) => status === 'failed').length;
  write(report, {
    numPassedTests: assertionResults.length - failed,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [
      {
        name: path.resolve('test/one.test.ts'),
        status: failed > 0 ? 'failed' : 'passed',
        assertionResults,
      },
    ],
  });
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

async function sum(status = 0) {
  const { stdout, exitCode } = await execa('node', ['.ci/sum.mjs', folder, String(status)], {
    reject: false,
  });
  return { lines: stdout.split('\n'), last: stdout.split('\n').at(-1), exitCode };
}

test('all is well where everything passed', async () => {
  vitest('vitest', { adds: 'passed', multiplies: 'passed' });
  playwright('expected');
  expect(await sum()).toMatchObject({ last: '3 passed, 0 failed', exitCode: 0 });
});

test('what failed is named at the end, with its reason', async () => {
  vitest('vitest', { adds: 'passed', multiplies: 'failed' });
  playwright('unexpected');
  const { lines, last, exitCode } = await sum(1);
  expect(lines).toContain('FAILED: test/one.test.ts › multiplies');
  expect(lines).toContain('    expected 1 to be 2');
  expect(lines).toContain('FAILED: shell.spec.ts › opens');
  expect(lines).toContain('    no such button');
  expect({ last, exitCode }).toEqual({ last: '1 passed, 2 failed', exitCode: 1 });
});

test('what passed when it was repeated counts, and is named', async () => {
  vitest('vitest', { adds: 'passed', multiplies: 'failed' });
  vitest('vitest-again', { adds: 'passed', multiplies: 'passed' });
  playwright('flaky');
  const { lines, last, exitCode } = await sum();
  expect(lines).toContain('UNSTEADY, passed when repeated: test/one.test.ts › multiplies');
  expect(lines).toContain('UNSTEADY, passed when repeated: shell.spec.ts › opens');
  expect({ last, exitCode }).toEqual({ last: '3 passed, 0 failed', exitCode: 0 });
});

test('what failed twice, or was not there when repeated, has failed', async () => {
  vitest('vitest', { adds: 'failed', multiplies: 'failed' });
  vitest('vitest-again', { multiplies: 'failed' });
  playwright('expected');
  expect(await sum(1)).toMatchObject({ last: '1 passed, 2 failed', exitCode: 1 });
});

test('a file that was not loaded has failed, unless it passed when it was repeated', async () => {
  const unloaded = {
    name: path.resolve('test/two.test.ts'),
    status: 'failed',
    message: 'Cannot find module',
    assertionResults: [],
  };
  write('vitest', {
    numPassedTests: 4,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [unloaded],
  });
  playwright('expected');
  const { lines, last } = await sum(1);
  expect(lines).toContain('FAILED: test/two.test.ts › was not loaded');
  expect(last).toBe('5 passed, 1 failed');
  write('vitest-again', { testResults: [repeated('test/two.test.ts', 'passed')] });
  expect(await sum()).toMatchObject({ last: '6 passed, 0 failed', exitCode: 0 });
  write('vitest-again', { testResults: [repeated('test/two.test.ts', 'failed')] });
  expect(await sum(1)).toMatchObject({ last: '5 passed, 1 failed', exitCode: 1 });
});

function repeated(name: string, status: Status) {
  return { name: path.resolve(name), status, assertionResults: [{ fullName: 'adds', status }] };
}

test('a skipped test, a step that failed and a report that is missing have failed', async () => {
  playwright('expected');
  expect(await sum()).toMatchObject({ last: '1 passed, 1 failed', exitCode: 1 });
  write('vitest', { numPassedTests: 2, numPendingTests: 1, numTodoTests: 0, testResults: [] });
  expect(await sum()).toMatchObject({ last: '3 passed, 1 failed', exitCode: 1 });
  write('vitest', { numPassedTests: 2, numPendingTests: 0, numTodoTests: 0, testResults: [] });
  expect(await sum(1)).toMatchObject({ last: '3 passed, 1 failed', exitCode: 1 });
});

test('the files of what failed are told, unless there is none', async () => {
  const files = () => execa('node', ['.ci/failed-files.mjs', folder], { reject: false });
  vitest('vitest', { adds: 'passed', multiplies: 'failed', divides: 'failed' });
  expect(await files()).toMatchObject({ stdout: 'test/one.test.ts', exitCode: 0 });
  vitest('vitest', { adds: 'passed' });
  expect(await files()).toMatchObject({ stdout: '', exitCode: 1 });
});
