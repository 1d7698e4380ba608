/**
 * Adds up the test reports: `node .ci/sum.mjs <folder> <exit status of the gate so far>`.
 * Ends with the line "N passed, N failed" and exits 1 unless everything passed. A skipped test, a
 * file that did not load, a missing report and a failed step all count as failed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const REPORTS = { 'vitest.json': readVitest, 'playwright.json': readPlaywright };

const [folder, status] = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };

for (const [name, read] of Object.entries(REPORTS)) {
  const { passed, failed, skipped } = await counts(join(folder, name), read);
  say(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  totals.passed += passed;
  totals.failed += failed + skipped;
}
if (status !== '0' && totals.failed === 0) totals.failed = 1;
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

async function counts(path, read) {
  try {
    return read(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    say(`no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** A file that could not be loaded has failed without any test of its own in the report. */
function readVitest(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** `flaky` passed when repeated: named, so that somebody looks why. */
function readPlaywright({ suites, stats, errors }) {
  for (const title of suites.flatMap(unsteadyOf)) say(`UNSTEADY, passed when repeated: ${title}`);
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

function unsteadyOf({ specs, suites = [] }) {
  const own = specs.filter((spec) => spec.tests.some(({ status }) => status === 'flaky'));
  return [...own.map(({ file, title }) => `${file} › ${title}`), ...suites.flatMap(unsteadyOf)];
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
