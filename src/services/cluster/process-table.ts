/** Which processes of this machine run. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies the pid namespace. A host name alone is not enough: machines made from one image share
 * it, and so do containers on the host's network.
 */
export function processTable(): string {
  try {
    const kernel = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${kernel} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname(); // not Linux: only the host name is available
  }
}

export function isNodeRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isZombie(pid);
}

/** A zombie has ended, but its parent has not read its exit status; signals still find it. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name of the program, which may contain brackets and spaces.
    return stat.startsWith('Z', stat.lastIndexOf(')') + 2);
  } catch {
    return false; // not Linux, or it has just ended: the next look decides
  }
}
