/**
 * Combines the metrics of all processes of one `gateway serve --workers N`, whichever is scraped:
 * the primary queries every worker, and a scraped worker queries the primary.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../../config.ts';
import { mergeSeries, type SeriesState } from '../../observe/series.ts';
import { listenForMetrics, type ReadSeries } from '../routes/metrics.ts';

/** `of: 'one'` requests a worker's own metrics, `of: 'all'` those of all from the primary. */
interface Question {
  readonly gateway: 'figures_wanted';
  readonly of: 'one' | 'all';
  readonly number: number;
}

interface Answer {
  readonly gateway: 'figures';
  readonly number: number;
  readonly series: readonly SeriesState[];
}

/** A stuck worker must not block the metrics of the others. */
const WORKER_PATIENCE_MS = 3_000;
const PRIMARY_PATIENCE_MS = 5_000;

/** In a worker: the metrics of all processes. In a single process: its own. */
export function readOfAll(own: ReadSeries): ReadSeries {
  const { worker } = cluster;
  if (worker === undefined) return own;
  const asked = new Questions();
  worker.on('message', (message: unknown) => {
    if (isAnswer(message)) asked.settle(message);
    if (isQuestion(message)) void answer(worker, message.number, own);
  });
  return async () => {
    const series = await asked.put(
      'all',
      (question) => tell(worker, question),
      PRIMARY_PATIENCE_MS,
    );
    return series ?? own();
  };
}

export interface WorkerFigures {
  /** The combined metrics of all workers. */
  readonly read: ReadSeries;
  stop(): void;
}

/** Runs in the primary. */
export function figuresOfWorkers(): WorkerFigures {
  const asked = new Questions();
  /** The last metrics received from each worker. */
  const told = new Map<number, readonly SeriesState[]>();
  /** Counters of workers that have ended: a sum that falls would look like a counter reset. */
  let past: readonly SeriesState[] = [];
  const ask = async (worker: Worker) => {
    const series = worker.isConnected()
      ? await asked.put('one', (question) => tell(worker, question), WORKER_PATIENCE_MS)
      : undefined;
    if (series !== undefined && !worker.isDead()) told.set(worker.id, series);
  };
  const read = async () => {
    const workers = Object.values(cluster.workers ?? {});
    await Promise.all(workers.map((worker) => worker && ask(worker)));
    return mergeSeries([past, ...told.values()]);
  };
  const onExit = ({ id }: Worker) => {
    const counts = (told.get(id) ?? []).filter(({ row }) => row.kind !== 'gauge');
    past = mergeSeries([past, counts]);
    told.delete(id);
  };
  const onMessage = (worker: Worker, message: unknown) => {
    if (isAnswer(message)) asked.settle(message);
    if (isQuestion(message)) void answer(worker, message.number, read);
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
  const figures = figuresOfWorkers();
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

class Questions {
  #last = 0;
  readonly #waiting = new Map<number, (series: readonly SeriesState[] | undefined) => void>();

  /** Undefined when no response arrives in time. */
  put(
    of: Question['of'],
    send: (question: Question) => void,
    patienceMs: number,
  ): Promise<readonly SeriesState[] | undefined> {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve) => {
      const end = (series?: readonly SeriesState[]) => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(series);
      };
      const timer = setTimeout(() => end(), patienceMs);
      this.#waiting.set(number, end);
      send({ gateway: 'figures_wanted', of, number });
    });
  }

  settle({ number, series }: Answer): void {
    this.#waiting.get(number)?.(series);
  }
}

async function answer(to: Worker, number: number, read: ReadSeries): Promise<void> {
  tell(to, { gateway: 'figures', number, series: await read() });
}

/** `worker` is the other end, from either side. */
function tell(worker: Worker, message: Question | Answer): void {
  // If the other process is gone, the message is dropped and the query times out.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

function isQuestion(message: unknown): message is Question {
  return kindOf(message) === 'figures_wanted';
}

function isAnswer(message: unknown): message is Answer {
  return kindOf(message) === 'figures';
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'gateway' in message
    ? message.gateway
    : undefined;
}
