/** The mock upstream in a separate process, so that its cost is not counted as the gateway's. */
import { startFakeUpstream } from '../../../upstream/server.ts';

const upstream = await startFakeUpstream();
process.stdout.write(`mock on ${upstream.url}\n`);
process.once('SIGTERM', () => {
  void upstream.close().finally(() => process.exit(0));
});
