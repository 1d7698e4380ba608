/** A worker process of `gateway serve --workers N`: serves until it is stopped or replaced. */
import type { Worker } from 'node:cluster';
import { logFile } from '../../boot.ts';
import type { Config, EnvironmentVariables } from '../../config.ts';
import { createLogger } from '../../log.ts';
import { createSharedKv } from '../../store/kv/shared-kv.ts';
import { VERSION } from '../../version.ts';
import { ignoreAfterAbort, startServer } from '../serve.ts';
import type { Serving } from '../serving.ts';
import { startReport } from '../start-report.ts';
import {
  COMMITTING_VERSION,
  channelTo,
  isReplaced,
  type ListeningMessage,
} from './worker-messages.ts';

/** `signal` fires when this process itself should stop; `env` is its environment. */
export async function serveAsWorker(
  config: Config,
  worker: Worker,
  { signal, env }: { readonly signal: AbortSignal; readonly env: EnvironmentVariables },
): Promise<void> {
  // A closing terminal signals all processes; the primary decides whether to restart.
  process.on('SIGHUP', () => undefined);
  const end = untilStopped(worker, signal);
  const log = createLogger(config.logLevel, logFile(config), worker.id);
  const channel = channelTo(worker);
  const kv = config.redisUrl.open() === '' ? createSharedKv(channel, Date.now) : undefined;
  const { workers } = config;
  // A parent of another version may know other operations; then this process commits itself.
  const sharedCommits = env[COMMITTING_VERSION] === VERSION ? { channel, workers } : undefined;
  try {
    const environment = { log, ...(kv && { kv }), sharedCommits, primaryPid: process.ppid, signal };
    const serving = await startServer(config, environment).catch(ignoreAfterAbort(signal));
    if (serving !== undefined) await serveUntil(end, serving, worker);
  } finally {
    // The channel to the primary would keep this process alive, even if it could not start.
    if (worker.isConnected()) worker.disconnect();
  }
}

async function serveUntil(end: Promise<boolean>, serving: Serving, worker: Worker): Promise<void> {
  try {
    const report: ListeningMessage = { gateway: 'listening', ...(await startReport(serving)) };
    worker.send(report, () => undefined);
    await serving.stop({ isReplaced: await end });
  } finally {
    await serving.stop();
  }
}

/** Resolves when the worker should stop, with whether another process has replaced it. */
function untilStopped(worker: Worker, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => resolve(false);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', (message: unknown) => {
      if (isReplaced(message)) resolve(true);
    });
    worker.once('disconnect', () => {
      // The primary is gone, and with it the socket. Otherwise Node would end this process at once.
      worker.exitedAfterDisconnect = true;
      end();
    });
  });
}
