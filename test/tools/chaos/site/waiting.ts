/** Waits for a machine to start or to recover. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export const START_TIMEOUT_MS = 60_000;

/** Resolves when a connection is accepted; `what` names the service in the error. */
export async function listening(host: string, port: number, what: string): Promise<void> {
  const endsAtMs = Date.now() + START_TIMEOUT_MS;
  while (!(await isListening(host, port))) {
    if (Date.now() > endsAtMs) throw new Error(`not within ${START_TIMEOUT_MS} ms: ${what}`);
    await pause(50);
  }
}

/** Resolves with the milliseconds until `probe` returned true. */
export async function recovery(probe: () => Promise<boolean>, withinMs: number): Promise<number> {
  const startedAtMs = performance.now();
  for (;;) {
    if (await probe().catch(() => false)) return Math.round(performance.now() - startedAtMs);
    if (performance.now() - startedAtMs > withinMs)
      throw new Error(`not recovered within ${withinMs} ms`);
    await pause(100);
  }
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
