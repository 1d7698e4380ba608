/**
 * Adds up the test reports: `node .ci/sum.mjs <folder> <exit status of the gate so far> <part...>`.
 * Repeats the names of failed tests, because often only the end of a long output is kept, and ends with the
 * line "N passed, N failed"; exits 1 unless everything passed. A skipped test, a file that was not
 * loaded, a missing report and a failed step all count as failed.
 */
import { readPlaywright, readVitest } from './reports.mjs';

const REPORTS = { vitest: readVitest, playwright: readPlaywright };

const [folder, status, ...parts] = process.argv.slice(2);
const totals = { passed: 0, failed: 0 };

for (const [name, read] of Object.entries(REPORTS)) {
  const { passed, failed, skipped, unsteady } = await read(folder, parts).catch(noReport);
  for (const test of unsteady) sayTest('UNSTEADY, passed when repeated', test);
  for (const test of failed) sayTest('FAILED', test);
  say(`${name}: ${passed} passed, ${failed.length} failed, ${skipped} skipped`);
  totals.passed += passed;
  totals.failed += failed.length + skipped;
}
if (status !== '0' && totals.failed === 0) totals.failed = 1;
say(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 ? 0 : 1;

function noReport(error) {
  const failed = [{ file: 'no report', title: 'nothing to read', reason: [error.message] }];
  return { passed: 0, failed, skipped: 0, unsteady: [] };
}

function sayTest(how, { file, title, reason }) {
  say([`${how}: ${file} › ${title}`, ...reason].join('\n    '));
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
