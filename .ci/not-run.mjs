/**
 * A pattern (`vitest -t`) for the tests that need PostgreSQL, MariaDB or Redis: those that name one of them,
 * and those that the run without servers skipped. `node .ci/not-run.mjs <folder of reports>`
 */
import { readJson, testsOf } from './reports.mjs';

const SERVERS = ['postgres', 'mysql', 'redis'];

const { testResults } = await readJson(`${process.argv[2]}/vitest-alone.json`);
const skipped = testResults
  .flatMap(testsOf)
  .filter(({ status }) => status === 'pending' || status === 'skipped')
  .map(({ title }) => title.replace(/[^\w ]/g, '.'));
process.stdout.write([...SERVERS, ...new Set(skipped)].join('|'));
