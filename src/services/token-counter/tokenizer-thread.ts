/**
 * The handle of the tokenizer's worker thread: starts it at the first job, limits the queue, and
 * returns `undefined` whenever the thread cannot count (busy, slow, dead), so that the caller can
 * estimate.
 */
import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { CountReply } from './protocol.ts';
import type { ThreadLimits } from './thread-limits.ts';

/** No flags of the main thread: a debugger's or a loader's would be applied twice. */
const THREAD_OPTIONS: WorkerOptions = {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
};

interface PendingCount {
  readonly chars: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (counts: readonly number[] | undefined) => void;
}

export class TokenizerThread {
  readonly #limits: ThreadLimits;
  readonly #waiting = new Map<number, PendingCount>();
  #worker: Worker | undefined;
  #nextId = 1;
  #chars = 0;
  #deaths = 0;
  #isClosed = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
  }

  /** One count per text, or undefined when the thread does not answer in time. Never rejects. */
  count(texts: readonly string[]): Promise<readonly number[] | undefined> {
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const isFull =
      this.#waiting.size >= this.#limits.maxJobs || this.#chars + chars > this.#limits.maxChars;
    const worker = isFull ? undefined : this.#running();
    if (!worker) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#stop(worker), this.#limits.timeoutMs);
      this.#waiting.set(id, { chars, timer, resolve });
      this.#chars += chars;
      // A settlement waits for this count: the process must not exit before it.
      worker.ref();
      worker.postMessage({ id, texts });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.dropWorker(worker);
    await worker?.terminate();
  }

  #running(): Worker | undefined {
    if (this.#isClosed || this.#deaths >= this.#limits.maxCrashes) return undefined;
    try {
      this.#worker ??= this.#start();
    } catch {
      // Threads may be forbidden or memory short: then every count is an estimate, which the log
      // row records.
      this.#deaths = this.#limits.maxCrashes;
    }
    return this.#worker;
  }

  #start(): Worker | undefined {
    const worker = startThread();
    if (!worker) return undefined;
    worker.on('message', (reply: CountReply) => {
      this.#deaths = 0;
      this.#settle(reply.id, reply.counts);
      if (this.#waiting.size === 0) worker.unref();
    });
    // An uncaught error is followed by the exit event, which cleans up.
    worker.on('error', () => this.dropWorker(worker));
    worker.on('exit', () => this.dropWorker(worker));
    worker.unref();
    return worker;
  }

  /** Ends a thread that hangs on a text; the next job starts a new one. */
  #stop(worker: Worker): void {
    this.dropWorker(worker);
    void worker.terminate();
  }

  dropWorker(worker: Worker | undefined): void {
    if (!worker || worker !== this.#worker) return;
    this.#worker = undefined;
    this.#deaths++;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined);
  }

  #settle(id: number, counts: readonly number[] | undefined): void {
    const job = this.#waiting.get(id);
    if (!job) return;
    this.#waiting.delete(id);
    this.#chars -= job.chars;
    clearTimeout(job.timer);
    job.resolve(counts);
  }
}

/** The thread's code: next to the bundle (or one level above its chunks), else the source. */
const THREAD_FILES = [
  './token-counter-worker.js',
  '../token-counter-worker.js',
  './worker-dev.mjs',
] as const;

function startThread(): Worker | undefined {
  const file = THREAD_FILES.map((path) => new URL(path, import.meta.url)).find((url) =>
    existsSync(url),
  );
  return file && new Worker(file, THREAD_OPTIONS);
}
