/** The mock upstream in a process of its own, so that its cost is not measured with the gateway's. */
import { startFakeUpstream } from '../upstream/server.ts';

const upstream = await startFakeUpstream();
process.stdout.write(`mock on ${upstream.url}\n`);
process.once('SIGTERM', () => {
  void upstream.close().finally(() => process.exit(0));
});
