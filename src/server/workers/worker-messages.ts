/** Messages between the processes of one `gateway serve`, besides the shared counters. */
import type { Worker } from 'node:cluster';
import type { ProcessChannel } from '../../store/kv/shared-kv.ts';
import type { StartReport } from '../serve-hooks.ts';

/** To a worker whose replacement already listens. */
export const REPLACED = { gateway: 'replaced' } as const;

/** Sent to the primary. */
export interface ListeningMessage extends StartReport {
  readonly gateway: 'listening';
}

export function isListening(message: unknown): message is ListeningMessage {
  return isGatewayMessage(message) && message.gateway === 'listening';
}

export function isReplaced(message: unknown): boolean {
  return isGatewayMessage(message) && message.gateway === REPLACED.gateway;
}

function isGatewayMessage(message: unknown): message is { readonly gateway: unknown } {
  return typeof message === 'object' && message !== null && 'gateway' in message;
}

/** The message channel between a worker and its primary, from either end. */
export function channelTo(worker: Worker): ProcessChannel {
  return {
    send(message) {
      if (!worker.isConnected()) return false;
      // Without a callback, a channel that breaks now would raise an unhandled error.
      worker.send(message, () => undefined);
      return true;
    },
    onMessage: (listener) => void worker.on('message', listener),
    onBroken: (listener) => void worker.once('disconnect', listener),
  };
}
