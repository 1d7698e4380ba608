/** Stage 2: rate limits and addresses, before the body is looked at. */
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { isInRanges } from '../services/views/callers.ts';
import type { Window } from '../store/kv/kv.ts';
import type { Caller } from './authenticate.ts';
import type { Incoming } from './incoming.ts';
import type { Relay } from './relay-context.ts';

interface Limit {
  /** All calls, failed ones too; undefined = unlimited. */
  readonly total: Window | undefined;
  /** Calls that were answered; undefined = unlimited. */
  readonly success: Window | undefined;
  readonly totalError: ErrorCode;
  readonly successError: ErrorCode;
}

/** Tells the limits that the call was answered; a stream counts when it has ended well. */
export type CountSuccess = () => Promise<void>;

/**
 * Every limit is asked before the first is taken, so that a refused call does not count.
 * @throws AppError token_rate_limited, model_rate_limited, model_success_limited (with the seconds
 * to wait), address_denied.
 */
export async function admit(
  relay: Relay,
  caller: Caller,
  incoming: Incoming,
): Promise<CountSuccess> {
  const limits = limitsOf(relay, caller);
  for (const limit of limits) {
    await refuseIfFull(relay, limit.success, limit.successError);
    await refuseIfFull(relay, limit.total, limit.totalError);
  }
  admitAddress(caller, incoming);
  for (const limit of limits) {
    const waitMs = limit.total === undefined ? 0 : await relay.ctx.kv.take(limit.total);
    if (waitMs > 0) throw limited(limit.totalError, limit.total, waitMs);
  }
  return async () => {
    for (const { success } of limits) if (success !== undefined) await relay.ctx.kv.record(success);
  };
}

/** @throws AppError `address_denied` when the token names addresses and this is none of them. */
export function admitAddress({ token }: Caller, incoming: Incoming): void {
  if (token.allowed.length > 0 && !isInRanges(incoming.address, token.allowed)) {
    throw new AppError('address_denied');
  }
}

function limitsOf(relay: Relay, caller: Caller): Limit[] {
  const options = relay.ctx.options();
  const isExempt =
    options.get('global.rate_limit_exempt_enabled') &&
    caller.group === options.get('global.rate_limit_exempt_group');
  if (isExempt) return [];
  const limits: Limit[] = [];
  const { rate, id } = caller.token;
  if (rate !== undefined) {
    const windowMs = rate.periodSec * 1000;
    limits.push({
      total: windowOf(`rateLimit:TRRL:${id}`, rate.count, windowMs),
      success: windowOf(`rateLimit:TRRLS:${id}`, rate.success, windowMs),
      totalError: 'token_rate_limited',
      successError: 'token_rate_limited',
    });
  }
  if (options.get('ModelRequestRateLimitEnabled')) {
    const windowMs = options.get('ModelRequestRateLimitDurationMinutes') * 60_000;
    limits.push({
      total: windowOf(
        `rateLimit:MRRL:${caller.user.id}`,
        options.get('ModelRequestRateLimitCount'),
        windowMs,
      ),
      success: windowOf(
        `rateLimit:MRRLS:${caller.user.id}`,
        options.get('ModelRequestRateLimitSuccessCount'),
        windowMs,
      ),
      totalError: 'model_rate_limited',
      successError: 'model_success_limited',
    });
  }
  return limits;
}

/** A limit of 0, or a window of no length, limits nothing. */
function windowOf(key: string, limit: number, windowMs: number): Window | undefined {
  return limit > 0 && windowMs > 0 ? { key, limit, windowMs } : undefined;
}

async function refuseIfFull(
  relay: Relay,
  window: Window | undefined,
  code: ErrorCode,
): Promise<void> {
  const waitMs = window === undefined ? 0 : await relay.ctx.kv.peek(window);
  if (waitMs > 0) throw limited(code, window, waitMs);
}

function limited(code: ErrorCode, window: Window | undefined, waitMs: number): AppError {
  const params = {
    limit: window?.limit ?? 0,
    minutes: Math.ceil((window?.windowMs ?? 0) / 60_000),
  };
  return new AppError(code, params, { retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)) });
}
