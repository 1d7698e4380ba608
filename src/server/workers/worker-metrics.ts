/**
 * Combines the metrics of all processes of one `gateway serve --workers N`, whichever is scraped:
 * the primary queries every worker, and a scraped worker queries the primary.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../../config.ts';
import { mergeSeries, type SeriesState } from '../../observe/series.ts';
import { listenForMetrics, type ReadSeries } from '../routes/metrics.ts';

/** `of: 'one'` requests a worker's own metrics, `of: 'all'` those of all from the primary. */
interface MetricsRequest {
  readonly gateway: 'figures_wanted';
  readonly of: 'one' | 'all';
  readonly number: number;
}

interface MetricsResponse {
  readonly gateway: 'figures';
  readonly number: number;
  readonly series: readonly SeriesState[];
}

/** A stuck worker must not block the metrics of the others. */
const WORKER_TIMEOUT_MS = 3_000;
const PRIMARY_TIMEOUT_MS = 5_000;

/** In a worker: the metrics of all processes. In a single process: its own. */
export function seriesOfAllProcesses(own: ReadSeries): ReadSeries {
  const { worker } = cluster;
  if (worker === undefined) return own;
  const requests = new PendingRequests();
  worker.on('message', (message: unknown) => {
    if (isMetricsResponse(message)) requests.settle(message);
    if (isMetricsRequest(message)) void respond(worker, message.number, own);
  });
  return async () => {
    const series = await requests.send(
      'all',
      (question) => sendTo(worker, question),
      PRIMARY_TIMEOUT_MS,
    );
    return series ?? own();
  };
}

export interface WorkerMetrics {
  /** The combined metrics of all workers. */
  readonly read: ReadSeries;
  stop(): void;
}

/** Runs in the primary. */
export function workerMetrics(): WorkerMetrics {
  const requests = new PendingRequests();
  /** The last metrics received from each worker. */
  const seriesByWorker = new Map<number, readonly SeriesState[]>();
  /** Counters of workers that have ended: a sum that falls would look like a counter reset. */
  let ofEndedWorkers: readonly SeriesState[] = [];
  const ask = async (worker: Worker) => {
    const series = worker.isConnected()
      ? await requests.send('one', (question) => sendTo(worker, question), WORKER_TIMEOUT_MS)
      : undefined;
    if (series !== undefined && !worker.isDead()) seriesByWorker.set(worker.id, series);
  };
  const read = async () => {
    const workers = Object.values(cluster.workers ?? {});
    await Promise.all(workers.map((worker) => worker && ask(worker)));
    return mergeSeries([ofEndedWorkers, ...seriesByWorker.values()]);
  };
  const onExit = ({ id }: Worker) => {
    const counts = (seriesByWorker.get(id) ?? []).filter(({ row }) => row.kind !== 'gauge');
    ofEndedWorkers = mergeSeries([ofEndedWorkers, counts]);
    seriesByWorker.delete(id);
  };
  const onMessage = (worker: Worker, message: unknown) => {
    if (isMetricsResponse(message)) requests.settle(message);
    if (isMetricsRequest(message)) void respond(worker, message.number, read);
  };
  cluster.on('message', onMessage);
  cluster.on('exit', onExit);
  return {
    read,
    stop() {
      cluster.off('message', onMessage);
      cluster.off('exit', onExit);
    },
  };
}

/** In the primary: responds to scraped workers and serves the separate port, if configured. */
export async function scrapeWorkers(config: Config): Promise<{ close(): Promise<void> }> {
  const figures = workerMetrics();
  const { metricsPort } = config;
  const listener =
    metricsPort === undefined
      ? undefined
      : await listenForMetrics(config, metricsPort, figures.read);
  return {
    async close() {
      figures.stop();
      await listener?.close();
    },
  };
}

class PendingRequests {
  #last = 0;
  readonly #waiting = new Map<number, (series: readonly SeriesState[] | undefined) => void>();

  /** Undefined when no response arrives in time. */
  send(
    of: MetricsRequest['of'],
    send: (question: MetricsRequest) => void,
    timeoutMs: number,
  ): Promise<readonly SeriesState[] | undefined> {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve) => {
      const end = (series?: readonly SeriesState[]) => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(series);
      };
      const timer = setTimeout(() => end(), timeoutMs);
      this.#waiting.set(number, end);
      send({ gateway: 'figures_wanted', of, number });
    });
  }

  settle({ number, series }: MetricsResponse): void {
    this.#waiting.get(number)?.(series);
  }
}

async function respond(to: Worker, number: number, read: ReadSeries): Promise<void> {
  sendTo(to, { gateway: 'figures', number, series: await read() });
}

/** `worker` is the other end, from either side. */
function sendTo(worker: Worker, message: MetricsRequest | MetricsResponse): void {
  // If the other process is gone, the message is dropped and the query times out.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

function isMetricsRequest(message: unknown): message is MetricsRequest {
  return kindOf(message) === 'figures_wanted';
}

function isMetricsResponse(message: unknown): message is MetricsResponse {
  return kindOf(message) === 'figures';
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'gateway' in message
    ? message.gateway
    : undefined;
}
