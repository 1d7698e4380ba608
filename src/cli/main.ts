/** The entry of the `gateway` command: the only file with work at import time. */
import { processIo } from './io.ts';
import { run } from './run.ts';

const argv = process.argv.slice(2);
process.exitCode = await run(argv, processIo(argv));
