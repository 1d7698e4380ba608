/** A worker for metrics only, whose number is its metric. Started by worker-figures.test.ts. */
import cluster from 'node:cluster';
import { numberFamily } from '../../../src/observe/series.ts';
import { seriesOfAllProcesses } from '../../../src/server/workers/worker-metrics.ts';

const family = numberFamily('calls_total', { kind: 'counter', help: 'Calls.' });
family.labelled().value = 10 ** (cluster.worker?.id ?? 0);
const gauge = numberFamily('in_flight', { kind: 'gauge', help: 'Under way.' });
gauge.labelled().value = 1;
const read = seriesOfAllProcesses(async () => {
  // The third is stuck.
  if (cluster.worker?.id === 3) await new Promise(() => undefined);
  return [family.state(), gauge.state()];
});
process.on('message', async (message) => {
  if (message === 'scrape') process.send?.({ scraped: await read() });
});
process.send?.('ready');
