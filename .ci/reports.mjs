/** Reads the reports of both test runners into one form. */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Length of a failure message: enough to distinguish an assertion from a timeout. */
const REASON_LINES = 4;

/** The reports of the gate's parts; `checks` has none. */
const VITEST = { fast: 'vitest-fast.json', tests: 'vitest-all.json' };
const BROWSER = ['fast', 'browser'];

/**
 * `{ passed, skipped, failed, unsteady }`: numbers, and lists of `{ file, title, reason }`. A test is
 * unsteady if it failed and passed when it was repeated; it counts as passed. `fast` alone has no
 * servers, so what it skips does not count.
 * @throws Error without a readable report
 */
export async function readVitest(folder, parts) {
  const names = parts.flatMap((part) => VITEST[part] ?? []);
  const reports = await Promise.all(names.map((name) => readJson(join(folder, name))));
  const again = await readJson(join(folder, 'vitest-again.json')).catch(() => ({
    testResults: [],
  }));
  const tests = reports.flatMap(({ testResults }) => testResults).flatMap(testsOf);
  const repeated = again.testResults.flatMap(testsOf).filter(hasPassed);
  const mended = new Set(repeated.flatMap((test) => [nameOf(test), wholeOf(test)]));
  const broken = tests.filter(({ status }) => status === 'failed');
  const unsteady = broken.filter((test) => mended.has(nameOf(test)));
  return {
    passed: tests.filter(hasPassed).length + unsteady.length,
    skipped: parts.includes('tests') ? tests.filter(({ status }) => !RAN.has(status)).length : 0,
    failed: broken.filter((test) => !mended.has(nameOf(test))),
    unsteady,
  };
}

const RAN = new Set(['passed', 'failed']);

/** A file that could not be loaded failed as a whole; the report contains none of its tests. */
export function testsOf({ name, status, message, assertionResults }) {
  const file = relative('.', name);
  if (status === 'failed' && assertionResults.length === 0)
    return [{ file, title: NOT_LOADED, status, reason: reasonOf(message) }];
  return assertionResults.map(({ fullName, status, failureMessages = [] }) => ({
    file,
    title: fullName,
    status,
    reason: reasonOf(failureMessages[0]),
  }));
}

const NOT_LOADED = 'was not loaded';
const NOTHING = { passed: 0, skipped: 0, failed: [], unsteady: [] };

function hasPassed({ status }) {
  return status === 'passed';
}

function nameOf({ file, title }) {
  return `${file} › ${title}`;
}

/** The title that the report gives to a test file that could not be loaded. */
function wholeOf({ file }) {
  return nameOf({ file, title: NOT_LOADED });
}

/** The same for the browser tests, whose runner repeats failed tests itself. */
export async function readPlaywright(folder, parts) {
  if (!parts.some((part) => BROWSER.includes(part))) return NOTHING;
  const { suites, stats, errors } = await readJson(join(folder, 'playwright.json'));
  const tests = suites.flatMap(specsOf).flatMap(({ file, title, tests }) =>
    tests.map(({ status, results }) => {
      const reason = reasonOf(results.map(({ error }) => error?.message).find(Boolean));
      return { file, title, status, reason };
    }),
  );
  const unloaded = errors.map(({ message }) => ({
    file: 'playwright',
    title: NOT_LOADED,
    reason: reasonOf(message),
  }));
  return {
    passed: stats.expected + stats.flaky,
    skipped: stats.skipped,
    failed: [...tests.filter(({ status }) => status === 'unexpected'), ...unloaded],
    unsteady: tests.filter(({ status }) => status === 'flaky'),
  };
}

function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

function reasonOf(message = 'without a reason') {
  return stripVTControlCharacters(message).split('\n').filter(Boolean).slice(0, REASON_LINES);
}

export async function readJson(file) {
  return JSON.parse(await readFile(file, 'utf8'));
}
