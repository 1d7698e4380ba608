/**
 * The test files to repeat: `node .ci/failed-files.mjs <folder of reports>`, a line each. Exits 1 where
 * there are none, or so many that it is no single mishap.
 */
import { readVitest } from './reports.mjs';

const MOST = 10;

const { failed } = await readVitest(process.argv[2]);
const files = [...new Set(failed.map(({ file }) => file))];
process.stdout.write(files.map((file) => `${file}\n`).join(''));
process.exitCode = files.length > 0 && files.length <= MOST ? 0 : 1;
