/** Messages between the processes of one `gateway serve`, besides shared counters and commits. */
import type { Worker } from 'node:cluster';
import type { CommitMessage } from '../../services/billing/shared-commits.ts';
import type { KvMessage, ProcessChannel } from '../../store/kv/shared-kv.ts';
import type { StartReport } from '../serve-hooks.ts';

/** To a worker whose replacement already listens. */
export const REPLACED = { gateway: 'replaced' } as const;

/** Variable of a worker: the version of its primary, if the primary commits for it. */
export const COMMITTING_VERSION = 'GATEWAY_COMMITTING_VERSION';

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
export function channelTo(worker: Worker): ProcessChannel<KvMessage | CommitMessage> {
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
