/**
 * A process that measures the calls of another account beside a burst: the client that sends the
 * burst is busy itself. Answers each message with the calls since the message before.
 */
import { Pool } from 'undici';
import { OTHER_MODEL } from '../environment/environment.ts';
import { mainThreadCpuUs } from '../environment/processes.ts';
import { bodyOf, headersOf } from '../load.ts';

const CONCURRENCY = 8;

/** From sending a call to the end of its answer. */
export interface NeighbourCall {
  readonly ms: number;
  /**
   * What the main thread of the gateway computed meanwhile, for this call or for others. Unlike the
   * time, it does not depend on what else the machine does.
   */
  readonly cpuMs: number;
}

const [url = '', key = '', pid = ''] = process.argv.slice(2);
const pool = new Pool(url, { connections: CONCURRENCY });
const request = {
  method: 'POST',
  path: '/v1/chat/completions',
  headers: headersOf({ key }),
  body: bodyOf(OTHER_MODEL, false),
} as const;
let calls: NeighbourCall[] = [];
process.on('message', () => {
  process.send?.(calls);
  calls = [];
});

async function callOn(): Promise<never> {
  for (;;) {
    const startedMs = performance.now();
    const cpuUs = mainThreadCpuUs(Number(pid));
    const answer = await pool.request(request);
    await answer.body.dump();
    const cpuMs = (mainThreadCpuUs(Number(pid)) - cpuUs) / 1_000;
    calls.push({ ms: performance.now() - startedMs, cpuMs });
  }
}

await Promise.all(Array.from({ length: CONCURRENCY }, callOn));
