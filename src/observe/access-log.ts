/** Writes one log entry per model call; the usage log has the details. */
import type { Logger } from '../log.ts';
import { endpointName } from '../relay/call/incoming-call.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import { callOutcomeOf, NO_OP_OBSERVER, type Observer } from './observer.ts';

export interface AccessLog {
  readonly observer: Observer;
  watch(relay: Relay): void;
  stop(): void;
}

export function createAccessLog(): AccessLog {
  let log: Logger | undefined;
  return {
    observer: {
      ...NO_OP_OBSERVER,
      callEnded(end, units, atMs) {
        const outcome = callOutcomeOf(end);
        if (outcome === undefined) return;
        const { firstContentAtMs, call } = end;
        const { incoming, intent, attempts } = call;
        const { channel } = call.route;
        log?.info(
          {
            request_id: incoming.requestId,
            endpoint: endpointName(incoming),
            model: intent.model.slice(0, MAX_MODEL_CHARS),
            stream: intent.stream,
            outcome,
            channel: channel?.id ?? 0,
            attempts: attempts.length,
            tookMs: Math.max(0, atMs - incoming.receivedAtMs),
            firstTokenMs: firstContentAtMs === 0 ? 0 : firstContentAtMs - incoming.receivedAtMs,
            quota: units,
          },
          'call',
        );
      },
    },
    watch(relay) {
      log = relay.ctx.log;
    },
    stop() {
      log = undefined;
    },
  };
}

const MAX_MODEL_CHARS = 200;
