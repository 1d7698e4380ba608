/**
 * A process that measures the calls of another account beside a burst: the client that sends the
 * burst is busy itself. Answers each message with the latencies since the message before.
 */
import { OTHER_MODEL } from '../environment/environment.ts';
import { plainLoad } from '../load.ts';

const CONCURRENCY = 8;
const CALLS = 40;

const [url = '', key = ''] = process.argv.slice(2);
let latenciesMs: number[] = [];
process.on('message', () => {
  process.send?.(latenciesMs);
  latenciesMs = [];
});
for (;;)
  latenciesMs.push(...(await plainLoad({ url, key }, OTHER_MODEL, CALLS, CONCURRENCY)).latenciesMs);
