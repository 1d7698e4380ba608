/**
 * Detects a connection lost without a close, an idle session, and one that exceeds its time limit.
 */
import { WebSocket } from 'ws';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { FrameSource } from './realtime-frames.ts';

const PING_EVERY_MS = 20_000;

export class Heartbeat {
  readonly #timers: NodeJS.Timeout[] = [];
  #idle: NodeJS.Timeout | undefined;

  /**
   * Terminates a side that does not answer a ping before the next one; `onLimit` is called for idle
   * and overlong sessions.
   */
  constructor(
    config: Pick<Config, 'realtimeIdleTimeoutMs' | 'realtimeSessionMs'>,
    sides: readonly FrameSource[],
    onLimit: (error: AppError) => void,
  ) {
    for (const side of sides) this.#timers.push(pinging(side));
    const { realtimeIdleTimeoutMs: idleMs, realtimeSessionMs: sessionMs } = config;
    if (idleMs > 0)
      this.#idle = setTimeout(() => onLimit(limitError('session_idle', idleMs)), idleMs);
    if (sessionMs > 0)
      this.#timers.push(
        setTimeout(() => onLimit(limitError('session_expired', sessionMs)), sessionMs),
      );
  }

  /** Call for every message of either side. */
  received(): void {
    this.#idle?.refresh();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }
}

function limitError(code: 'session_idle' | 'session_expired', limitMs: number): AppError {
  return new AppError(code, { seconds: limitMs / 1000 });
}

function pinging(side: FrameSource): NodeJS.Timeout {
  const { socket } = side;
  let isAlive = true;
  const live = (): void => {
    isAlive = true;
  };
  socket.on('pong', live);
  socket.on('message', live);
  return setInterval(() => {
    // While a side is paused, its pong is not read either.
    if (socket.readyState !== WebSocket.OPEN || side.isBehind) return;
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_EVERY_MS);
}
