/**
 * The worker thread that hashes passwords, one at a time. Node's thread pool would also work, but
 * the database uses that pool too, and a few concurrent sign-ins would block every model call.
 */
import { scryptSync } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { answerJobs } from '../../worker-threads/answer-jobs.ts';
import type { PasswordWork } from './protocol.ts';

lowerPriority();

answerJobs(resultOf);

async function resultOf(work: PasswordWork): Promise<Uint8Array | boolean> {
  const { password } = work;
  if (work.kind === 'bcrypt') {
    const { compareSync } = await import('bcryptjs');
    return compareSync(password, work.stored);
  }
  const { salt, keyBytes } = work;
  const { log2n, r, p } = work.cost;
  const N = 2 ** log2n;
  // scrypt needs 128 * N * r bytes (RFC 7914 section 6), and Node's default limit is lower.
  return scryptSync(password, salt, keyBytes, { N, r, p, maxmem: 256 * N * r });
}

/** Lowers the thread's priority, so that calls go first when all cores are busy. Linux only. */
function lowerPriority(): void {
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not Linux, or not allowed here.
  }
}
