/**
 * Adds up the test reports: `node .ci/sum.mjs <folder> <exit status of the gate so far>`.
 * Names what failed once more, since a long output may be kept by its end alone, and ends with the
 * line "N passed, N failed"; exits 1 unless everything passed. A skipped test, a file that did not
 * load, a missing report and a failed step all count as failed.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const REPORTS = { 'vitest.json': readVitest, 'playwright.json': readPlaywright };
/** Of what a failed test said: enough to tell an expectation from a timeout. */
const REASON_LINES = 4;

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
  for (const file of unloaded) sayFailed(relative('.', file.name), 'not loaded', file.message);
  for (const file of report.testResults) {
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === 'failed') sayFailed(relative('.', file.name), fullName, failureMessages[0]);
    }
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** `flaky` passed when repeated: named, so that somebody looks why. */
function readPlaywright({ suites, stats, errors }) {
  for (const { file, title, tests } of suites.flatMap(specsOf)) {
    for (const { status, results } of tests) {
      const reason = results.map(({ error }) => error?.message).find(Boolean);
      if (status === 'flaky') sayFailed(file, title, reason, 'UNSTEADY, passed when repeated');
      if (status === 'unexpected') sayFailed(file, title, reason);
    }
  }
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected + errors.length,
    skipped: stats.skipped,
  };
}

function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

function sayFailed(file, title, reason = 'without a reason', how = 'FAILED') {
  const lines = stripVTControlCharacters(reason).split('\n').filter(Boolean);
  say([`${how}: ${file} › ${title}`, ...lines.slice(0, REASON_LINES)].join('\n    '));
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
