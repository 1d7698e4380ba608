/** One scrape returns the metrics of all processes of a `gateway serve`, with real processes. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SeriesState } from '../../../src/observe/series.ts';
import { type WorkerMetrics, workerMetrics } from '../../../src/server/workers/worker-metrics.ts';

let figures: WorkerMetrics;
const workers: Worker[] = [];

async function fork(): Promise<Worker> {
  const worker = cluster.fork();
  workers.push(worker);
  const [ready] = await once(worker, 'message');
  expect(ready).toBe('ready');
  return worker;
}

beforeAll(async () => {
  cluster.setupPrimary({
    exec: path.join(import.meta.dirname, 'worker-process.ts'),
    execArgv: ['--import', 'tsx'],
    args: [],
    serialization: 'advanced',
  });
  figures = workerMetrics();
  await Promise.all([fork(), fork()]);
});
afterAll(() => {
  figures.stop();
  for (const worker of workers) worker.process.kill('SIGKILL');
});

function callsIn(series: readonly SeriesState[]): unknown {
  return series[0]?.samples[0]?.cell;
}

test('the primary adds up the counters of its workers', async () => {
  expect(callsIn(await figures.read())).toEqual({ value: 110 });
});

test('a scrape of one worker returns the metrics of all', async () => {
  const [worker] = workers;
  const scraped = new Promise<readonly SeriesState[]>((resolve) => {
    worker?.on('message', (message) => {
      if (message?.scraped !== undefined) resolve(message.scraped);
    });
  });
  worker?.send('scrape');
  expect(callsIn(await scraped)).toEqual({ value: 110 });
});

test('a stuck worker hides no others, and counters of ended workers are kept', async () => {
  await fork();
  expect(callsIn(await figures.read())).toEqual({ value: 110 });
  const [gone] = workers;
  gone?.process.kill('SIGKILL');
  await once(gone as Worker, 'exit');
  const series = await figures.read();
  expect(callsIn(series)).toEqual({ value: 110 });
  // Its number of running calls no longer counts.
  expect(series.find(({ name }) => name === 'in_flight')?.samples[0]?.cell).toEqual({ value: 1 });
});
