/**
 * Notifies the processes of this machine that use the same data folder of a committed change, so
 * that they read it at once instead of at their next poll. A lost signal only costs that wait.
 */
import { type FSWatcher, watch, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import path from 'node:path';

export interface LocalSignal {
  /** Never rejects: without a running server there is no file and nothing to notify. */
  send(): Promise<void>;
  /** Calls back for signals of every process, including this one. Returns a function that stops. */
  watch(onSignal: () => void): () => void;
}

/**
 * The servers watch a file of their own, not the folder, where each commit of SQLite would wake
 * them.
 */
export function createLocalSignal(folder: string): LocalSignal {
  const file = path.join(folder, 'changes.signal');
  return {
    async send() {
      const now = new Date();
      await utimes(file, now, now).catch(() => undefined);
    },
    watch(onSignal) {
      const watcher = watched(file, onSignal);
      return () => watcher?.close();
    },
  };
}

/** Undefined where files cannot be watched or written, such as on some network file systems. */
function watched(file: string, onSignal: () => void): FSWatcher | undefined {
  try {
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    const watcher = watch(file, { persistent: false }, onSignal);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
