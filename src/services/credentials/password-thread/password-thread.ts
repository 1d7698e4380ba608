/** The thread that hashes passwords, and the limit of its queue. */
import { AppError } from '../../../domain/errors/errors.ts';
import { JobThread } from '../../worker-threads/job-thread.ts';
import type { PasswordWork } from './protocol.ts';

/** A hash takes about a third of a second, so the wait is limited to some ten seconds. */
const MAX_JOBS = 32;
const RETRY_AFTER_SEC = 5;

const thread = new JobThread<PasswordWork, Uint8Array | boolean>({
  built: 'password-worker.js',
  source: new URL('./worker.ts', import.meta.url),
});

/** @throws AppError `sign_in_busy` when the queue is full. */
export function requirePasswordQueueSpace(): void {
  if (thread.pending >= MAX_JOBS)
    throw new AppError('sign_in_busy', {}, { retryAfterSec: RETRY_AFTER_SEC });
}

/**
 * Resolves with the key (scrypt) or whether the password is correct (bcrypt).
 * @throws AppError `sign_in_busy`.
 */
export async function runInPasswordThread(work: PasswordWork): Promise<Uint8Array | boolean> {
  requirePasswordQueueSpace();
  return thread.run(work);
}
