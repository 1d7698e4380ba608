/**
 * `gateway serve --workers N`: this process owns the socket and the counters, commits for the
 * workers on SQLite, and starts the worker processes that serve. A worker that dies is replaced.
 * SIGHUP replaces all workers one by one without failing calls, because none is stopped before its
 * replacement listens. No server code is loaded here.
 */
import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { createLogger, type Logger } from '../../log.ts';
import { parseDsn } from '../../store/connection/dsn.ts';
import { createKvHost, type KvHost } from '../../store/kv/shared-kv.ts';
import { VERSION } from '../../version.ts';
import type { ServeHooks, StartReport } from '../serve-hooks.ts';
import type { WorkerCommits } from './worker-commits.ts';
import { COMMITTING_VERSION, channelTo, isListening, REPLACED } from './worker-messages.ts';

/** A worker that lived this long did not fail at start-up. */
const STABLE_MS = 60_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Serves until the signal fires and every worker has drained. Returns the exit status. */
export async function serveWithWorkers(config: Config, hooks: ServeHooks): Promise<number> {
  const log = createLogger(
    config.logLevel,
    config.logDir === '' ? '' : path.join(config.logDir, 'gateway.log'),
  );
  const kv = createKvHost(Date.now);
  const commits = await openWorkerCommits(config, log);
  const workers = new Workers({ kv, commits }, log);
  const figures = await openWorkerMetrics(config);
  const onHangup = () => workers.replaceAll();
  process.on('SIGHUP', onHangup);
  try {
    // The first worker migrates the schema and reports configuration errors.
    const first = await Promise.race([workers.start(), ended(hooks.signal)]);
    if (first === undefined) return 0;
    if (typeof first === 'number') return first;
    const others = Array.from({ length: config.workers - 1 }, () => workers.startWithRetries());
    await Promise.race([Promise.all(others), ended(hooks.signal)]);
    hooks.listening({ ...first, workers: config.workers });
    await ended(hooks.signal);
    hooks.draining();
    return 0;
  } finally {
    await workers.end();
    await figures?.close();
    process.off('SIGHUP', onHangup);
    await commits?.close();
    await kv.close();
  }
}

/** Starts collecting metrics, if they are scraped at all. */
async function openWorkerMetrics(config: Config): Promise<{ close(): Promise<void> } | undefined> {
  if (config.metricsPort === undefined && config.metricsToken.open() === '') return undefined;
  const { scrapeWorkers } = await import('./worker-metrics.ts');
  return scrapeWorkers(config);
}

/** Loaded before a worker starts: files on disk may be of another version later. */
async function openWorkerCommits(config: Config, log: Logger): Promise<WorkerCommits | undefined> {
  if (parseDsn(config.database.open(), config.databaseSource).engine !== 'sqlite') return undefined;
  const { workerCommits } = await import('./worker-commits.ts');
  return workerCommits(config, log);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** What the workers share in this process. */
interface Hosts {
  readonly kv: KvHost;
  readonly commits: WorkerCommits | undefined;
}

class Workers {
  readonly #hosts: Hosts;
  readonly #log: Logger;
  /** Workers that serve or are starting; replaced ones are removed. */
  readonly #serving = new Set<Worker>();
  readonly #alive = new Set<Worker>();
  readonly restartTimers = new Set<NodeJS.Timeout>();
  #isEnding = false;
  earlyDeaths = 0;
  #replacing: Promise<void> = Promise.resolve();
  isReplacementRequested = false;
  #onNoneAlive = (): void => undefined;

  constructor(hosts: Hosts, log: Logger) {
    this.#hosts = hosts;
    this.#log = log;
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** Start facts of a worker that listens, or the exit status of one that could not. */
  start(): Promise<StartReport | number> {
    const { kv, commits } = this.#hosts;
    const worker = cluster.fork({ [COMMITTING_VERSION]: commits ? VERSION : '' });
    const startedAtMs = Date.now();
    this.#alive.add(worker);
    this.#serving.add(worker);
    const channel = channelTo(worker);
    kv.serve(channel);
    commits?.serve(channel);
    return new Promise((resolve) => {
      let hasListened = false;
      worker.on('message', (message: unknown) => {
        if (!isListening(message)) return;
        hasListened = true;
        this.#log.info({ worker: worker.id, pid: worker.process.pid }, 'a worker is serving');
        resolve(message);
      });
      const onExit = (code: number | null, signal: string) => {
        this.#alive.delete(worker);
        const wasServing = this.#serving.delete(worker);
        if (hasListened && wasServing && !this.#isEnding)
          this.#replaceDead(worker, { code, signal, livedMs: Date.now() - startedAtMs });
        resolve(code ?? 1);
        if (this.#alive.size === 0) this.#onNoneAlive();
      };
      worker.once('exit', onExit);
      worker.on('error', (error) => {
        this.#log.error({ err: error, worker: worker.id }, 'a worker process reported an error');
        // If the process could not be spawned, there will be no exit event.
        if (worker.process.pid === undefined) onExit(1, '');
      });
    });
  }

  #replaceDead(
    { id, process: { pid } }: Worker,
    death: { readonly code: number | null; readonly signal: string; readonly livedMs: number },
  ): void {
    this.earlyDeaths = death.livedMs < STABLE_MS ? this.earlyDeaths + 1 : 0;
    const pauseMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.earlyDeaths - 1));
    this.#log.error({ worker: id, pid, ...death, pauseMs }, 'a worker died and is replaced');
    this.#startAfter(pauseMs);
  }

  /**
   * Retries until one listens, since the database may be down. Resolves after the first attempt.
   */
  async startWithRetries(nextPauseMs = FIRST_DELAY_MS): Promise<void> {
    const outcome = await this.start();
    if (typeof outcome !== 'number' || this.#isEnding) return;
    this.#log.error({ code: outcome, pauseMs: nextPauseMs }, 'a worker could not start');
    this.#startAfter(nextPauseMs);
  }

  #startAfter(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.restartTimers.delete(pause);
      void this.startWithRetries(Math.min(MAX_DELAY_MS, pauseMs * 2));
    }, pauseMs);
    this.restartTimers.add(pause);
  }

  /** Called while it runs, it runs once more: the files on disk may have changed. */
  replaceAll(): void {
    if (this.isReplacementRequested || this.#isEnding) return;
    this.isReplacementRequested = true;
    this.#replacing = this.#replacing.then(() => {
      this.isReplacementRequested = false;
      return this.#replaceEach();
    });
  }

  async #replaceEach(): Promise<void> {
    this.#log.info({ workers: this.#serving.size }, 'replacing the workers');
    for (const old of [...this.#serving]) {
      if (this.#isEnding) return;
      const fresh = await this.start();
      if (typeof fresh === 'number') {
        this.#log.error(
          { code: fresh },
          'a new worker could not start; the old workers keep serving',
        );
        return;
      }
      // The old worker died meanwhile and is already being replaced.
      if (!this.#serving.delete(old)) continue;
      if (old.isConnected()) old.send(REPLACED, () => undefined);
    }
    this.#log.info('all workers were replaced');
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const pause of this.restartTimers) clearTimeout(pause);
    // By signal, because a worker that is still starting does not receive messages.
    for (const worker of this.#alive) worker.process.kill('SIGTERM');
    if (this.#alive.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onNoneAlive = resolve;
    });
  }
}
