/** How a Realtime session ends, with its close codes (RFC 6455 7.4). */
import { AppError } from '../../domain/errors/errors.ts';
import type { Closed } from './realtime-frames.ts';

/** `error` is sent to the client before the connection is closed with `code`. */
export interface SessionEnd {
  readonly by: 'client' | 'upstream' | 'gateway';
  readonly code: number;
  readonly reason: string;
  readonly error?: unknown;
}

export const NORMAL = 1000;
const GOING_AWAY = 1001;
const POLICY = 1008;
const INTERNAL = 1011;
const NO_STATUS = 1005;

export const SHUTDOWN: SessionEnd = {
  by: 'gateway',
  code: GOING_AWAY,
  reason: 'the gateway is shutting down',
};

/** The gateway ends the session because of `error`. */
export function refusedBy(error: unknown): SessionEnd {
  return { by: 'gateway', code: POLICY, reason: '', error };
}

export function brokenBy(error: unknown): SessionEnd {
  return { by: 'gateway', code: INTERNAL, reason: '', error };
}

/** `shown`: what the client may see of the upstream's reason. */
export function upstreamEnd(
  { code, reason, problem }: Closed,
  shown: (reason: string) => string,
): SessionEnd {
  if (isSendable(code) && problem === undefined)
    return { by: 'upstream', code: code === NO_STATUS ? NORMAL : code, reason: shown(reason) };
  const error = new AppError('upstream_broke_off', {}, problem ? { cause: problem } : {});
  return { by: 'upstream', code: INTERNAL, reason: '', error };
}

/** Close codes that an endpoint may send. */
function isSendable(code: number): boolean {
  const isReserved = code === 1004 || code === 1006 || code === 1015;
  return (code >= 1000 && code <= 1014 && !isReserved) || (code >= 3000 && code <= 4999);
}
