/**
 * `gateway serve --workers N`: this process keeps the socket and the counters and starts others that
 * serve. One that dies is replaced; SIGHUP replaces all of them, one after the other, and no call
 * fails, as nothing is ended before its successor listens. Nothing of the server is loaded here.
 */
import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { createLogger, type Logger } from '../../log.ts';
import { createKvHost, type KvHost } from '../../store/kv/shared.ts';
import type { ServeHooks, StartFacts } from '../serve-hooks.ts';
import { isListening, lineTo, REPLACED } from './worker-messages.ts';

/** A worker that lived this long did not die of its start. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Serves until the signal fires and every worker has drained. Answers the exit status. */
export async function serveWithWorkers(config: Config, hooks: ServeHooks): Promise<number> {
  const log = createLogger(
    config.logLevel,
    config.logDir === '' ? '' : path.join(config.logDir, 'gateway.log'),
  );
  const kv = createKvHost(Date.now);
  const workers = new Workers(kv, log);
  const figures = await figuresOf(config);
  const onHangup = () => workers.replaceAll();
  process.on('SIGHUP', onHangup);
  try {
    // The first brings the schema up to date and tells what is wrong with the configuration.
    const first = await Promise.race([workers.start(), ended(hooks.signal)]);
    if (first === undefined) return 0;
    if (typeof first === 'number') return first;
    const others = Array.from({ length: config.workers - 1 }, () => workers.startSurely());
    await Promise.race([Promise.all(others), ended(hooks.signal)]);
    hooks.listening({ ...first, workers: config.workers });
    await ended(hooks.signal);
    hooks.draining();
    return 0;
  } finally {
    await workers.end();
    await figures?.close();
    process.off('SIGHUP', onHangup);
    await kv.close();
  }
}

/** Where figures are scraped at all. */
async function figuresOf(config: Config): Promise<{ close(): Promise<void> } | undefined> {
  if (config.metricsPort === undefined && config.metricsToken.open() === '') return undefined;
  const { scrapeWorkers } = await import('./worker-metrics.ts');
  return scrapeWorkers(config);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

class Workers {
  readonly #kv: KvHost;
  readonly #log: Logger;
  /** Those that serve or are about to; a replaced one is not in it any more. */
  readonly #serving = new Set<Worker>();
  readonly #alive = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isEnding = false;
  #quickDeaths = 0;
  #replacing: Promise<void> = Promise.resolve();
  #isReplacementAsked = false;
  #onNoneAlive = (): void => undefined;

  constructor(kv: KvHost, log: Logger) {
    this.#kv = kv;
    this.#log = log;
    cluster.setupPrimary({ serialization: 'advanced' });
  }

  /** A worker that listens, or the exit status of one that could not. */
  start(): Promise<StartFacts | number> {
    const worker = cluster.fork();
    const startedAtMs = Date.now();
    this.#alive.add(worker);
    this.#serving.add(worker);
    this.#kv.serve(lineTo(worker));
    return new Promise((resolve) => {
      let hasListened = false;
      worker.on('message', (message: unknown) => {
        if (!isListening(message)) return;
        hasListened = true;
        this.#log.info({ worker: worker.id, pid: worker.process.pid }, 'a worker serves');
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
        this.#log.error({ err: error, worker: worker.id }, 'a worker cannot be reached');
        // Where there is no room for another process nothing will ever exit.
        if (worker.process.pid === undefined) onExit(1, '');
      });
    });
  }

  #replaceDead(
    { id, process: { pid } }: Worker,
    death: { readonly code: number | null; readonly signal: string; readonly livedMs: number },
  ): void {
    this.#quickDeaths = death.livedMs < STEADY_MS ? this.#quickDeaths + 1 : 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#quickDeaths - 1));
    this.#log.error({ worker: id, pid, ...death, pauseMs }, 'a worker died and is replaced');
    this.#startAfter(pauseMs);
  }

  /** Tries until one listens: the database may be away for a while. Resolves after the first try. */
  async startSurely(nextPauseMs = FIRST_PAUSE_MS): Promise<void> {
    const outcome = await this.start();
    if (typeof outcome !== 'number' || this.#isEnding) return;
    this.#log.error({ code: outcome, pauseMs: nextPauseMs }, 'a worker could not start');
    this.#startAfter(nextPauseMs);
  }

  #startAfter(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.startSurely(Math.min(LONGEST_PAUSE_MS, pauseMs * 2));
    }, pauseMs);
    this.#pauses.add(pause);
  }

  /** Asked again while it runs, it runs once more: what is on disk may have changed meanwhile. */
  replaceAll(): void {
    if (this.#isReplacementAsked || this.#isEnding) return;
    this.#isReplacementAsked = true;
    this.#replacing = this.#replacing.then(() => {
      this.#isReplacementAsked = false;
      return this.#replaceEach();
    });
  }

  async #replaceEach(): Promise<void> {
    this.#log.info({ workers: this.#serving.size }, 'replacing the workers');
    for (const old of [...this.#serving]) {
      if (this.#isEnding) return;
      const fresh = await this.start();
      if (typeof fresh === 'number') {
        this.#log.error({ code: fresh }, 'a new worker could not start: the old ones serve on');
        return;
      }
      // Dead meanwhile: its place is taken care of.
      if (!this.#serving.delete(old)) continue;
      if (old.isConnected()) old.send(REPLACED, () => undefined);
    }
    this.#log.info('the workers are replaced');
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    // A signal, as one that is still starting hears no messages.
    for (const worker of this.#alive) worker.process.kill('SIGTERM');
    if (this.#alive.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onNoneAlive = resolve;
    });
  }
}
