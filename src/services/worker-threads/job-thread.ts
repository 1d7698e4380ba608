/**
 * A worker thread that answers jobs. It starts with the first job; one that ends or is stopped fails
 * the jobs it had, and the next job starts another. `answer-jobs.ts` is the thread's side.
 */
import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { JobReply } from './answer-jobs.ts';

interface PendingJob<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

export interface ThreadCode {
  /** The file of the build. */
  readonly built: string;
  /** The source, which is loaded during development. */
  readonly source: URL;
}

export class JobThread<Job, Result> {
  readonly #code: ThreadCode;
  readonly #options: WorkerOptions;
  readonly #pending = new Map<number, PendingJob<Result>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #failures = 0;

  constructor(code: ThreadCode, options: WorkerOptions = {}) {
    this.#code = code;
    this.#options = options;
  }

  /** The number of jobs without an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** How often in a row the thread could not start, or ended without an answer. */
  get failures(): number {
    return this.#failures;
  }

  /** @throws the error of the job, or of a thread that cannot start or has ended. */
  async run(job: Job): Promise<Result> {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      // The process must not exit before the answer, which a command or a settlement waits for.
      worker.ref();
      worker.postMessage({ id, job });
    });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#fail(worker, new Error('the thread was stopped'));
    await worker.terminate();
  }

  #started(): Worker {
    const worker = this.#newWorker();
    worker.on('message', ({ id, result }: JobReply<Result>) => {
      this.#failures = 0;
      const job = this.#pending.get(id);
      this.#pending.delete(id);
      if (this.#pending.size === 0) worker.unref();
      if (result instanceof Error) job?.reject(result);
      else job?.resolve(result);
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('the thread has ended')));
    worker.unref();
    return worker;
  }

  #newWorker(): Worker {
    const { url, workerData } = entryOf(this.#code);
    try {
      // No flags of the main thread: a debugger's or a loader's would be applied twice.
      return new Worker(url, { execArgv: [], workerData, ...this.#options });
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }

  #fail(worker: Worker, error: Error): void {
    if (worker !== this.#worker) return;
    this.#failures++;
    this.#worker = undefined;
    const jobs = [...this.#pending.values()];
    this.#pending.clear();
    for (const job of jobs) job.reject(error);
  }
}

/** The file of the build, next to the bundle or one level above its chunks, else the source. */
function entryOf({ built, source }: ThreadCode): { url: URL; workerData?: string } {
  const files = [`./${built}`, `../${built}`].map((file) => new URL(file, import.meta.url));
  const url = files.find((file) => existsSync(file));
  if (url !== undefined) return { url };
  return { url: new URL('./worker-dev.mjs', import.meta.url), workerData: source.href };
}
