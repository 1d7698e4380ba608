/**
 * Prints the test files to repeat, one per line: `node .ci/failed-files.mjs <folder of reports>
 * <part...>`. Exits 1 if there are none, or too many for a chance failure.
 */
import { readVitest } from './reports.mjs';

const MOST = 10;

const [folder, ...parts] = process.argv.slice(2);
const { failed } = await readVitest(folder, parts);
const files = [...new Set(failed.map(({ file }) => file))];
process.stdout.write(files.map((file) => `${file}\n`).join(''));
process.exitCode = files.length > 0 && files.length <= MOST ? 0 : 1;
