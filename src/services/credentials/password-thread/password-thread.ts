/** Manages the password-hashing worker thread: starts it at the first job and limits the queue. */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../domain/errors/errors.ts';
import type { PasswordReply, PasswordWork } from './protocol.ts';

/** A hash takes about a third of a second, so the wait is limited to some ten seconds. */
const MAX_JOBS = 32;
const RETRY_AFTER_SEC = 5;

interface PendingJob {
  resolve(result: Uint8Array | boolean): void;
  reject(error: Error): void;
}

const pendingJobs = new Map<number, PendingJob>();
let thread: Worker | undefined;
let lastId = 0;

/** @throws AppError `sign_in_busy` when the queue is full. */
export function requirePasswordQueueSpace(): void {
  if (pendingJobs.size >= MAX_JOBS)
    throw new AppError('sign_in_busy', {}, { retryAfterSec: RETRY_AFTER_SEC });
}

/**
 * Resolves with the key (scrypt) or whether the password is correct (bcrypt).
 * @throws AppError `sign_in_busy`.
 */
export async function runInPasswordThread(work: PasswordWork): Promise<Uint8Array | boolean> {
  requirePasswordQueueSpace();
  thread ??= startThread();
  const worker = thread;
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    pendingJobs.set(id, { resolve, reject });
    // A command that sets a password must not exit before it is hashed.
    worker.ref();
    worker.postMessage({ id, work });
  });
}

function startThread(): Worker {
  // No flags of the main thread: a debugger's or a loader's would be applied twice.
  const worker = new Worker(threadFile(), { execArgv: [] });
  worker.on('message', ({ id, result }: PasswordReply) => {
    const job = pendingJobs.get(id);
    pendingJobs.delete(id);
    if (pendingJobs.size === 0) worker.unref();
    if (result instanceof Error) job?.reject(result);
    else job?.resolve(result);
  });
  worker.on('error', (error) => rejectPending(worker, error));
  worker.on('exit', () => rejectPending(worker, new Error('the thread for passwords has ended')));
  worker.unref();
  return worker;
}

/** The next job starts another thread. */
function rejectPending(worker: Worker, error: Error): void {
  if (worker !== thread) return;
  thread = undefined;
  for (const job of pendingJobs.values()) job.reject(error);
  pendingJobs.clear();
}

/** The thread's code: next to the bundle (or one level above its chunks), else the source. */
function threadFile(): URL {
  const files = ['./password-worker.js', '../password-worker.js', './worker-dev.mjs'];
  const urls = files.map((file) => new URL(file, import.meta.url));
  const found = urls.find((url) => existsSync(url));
  if (found === undefined) throw new Error('the file of the thread for passwords is missing');
  return found;
}
