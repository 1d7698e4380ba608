/** Entry point of the `gateway` command: the only file with side effects at import. */
import { processIo } from './process/process-io.ts';
import { run } from './run.ts';

const argv = process.argv.slice(2);
process.exitCode = await run(argv, processIo(argv));
