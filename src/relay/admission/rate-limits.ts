/** Stage 2: checks rate limits and IP addresses before the body is read. */

import type { LimitState } from '../../dialects/hub/limit-headers.ts';
import { isInRanges } from '../../domain/addresses/address-ranges.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { AppError, type ErrorCode } from '../../domain/errors/errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import type { TokenEntry, UserEntry } from '../../services/cache/caller-cache.ts';
import type { Kv, RateWindow } from '../../store/kv/kv.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { CountSuccess } from './count-success.ts';
import { limitHeaders, tighter } from './limit-headers.ts';

interface Limit {
  /** Limit of all calls, including failed ones; undefined = unlimited. */
  readonly total: RateWindow | undefined;
  /** Limit of successful calls; undefined = unlimited. */
  readonly success: RateWindow | undefined;
  readonly totalError: ErrorCode;
  readonly successError: ErrorCode;
}

export interface Admission {
  readonly countSuccess: CountSuccess;
  /** State of the tightest call limit, including this call; undefined if none applies. */
  readonly requests: LimitState | undefined;
}

const COUNTS_NOTHING: CountSuccess = () => undefined;
const UNLIMITED: Admission = { countSuccess: COUNTS_NOTHING, requests: undefined };

/**
 * Checks every limit before it counts the call, so that a refused call does not count.
 * @throws AppError token_rate_limited, model_rate_limited, model_success_limited (with the seconds
 * to wait), address_denied; database_not_writable, as the call could not be charged.
 */
export function takeRateLimits(
  relay: Ports<'ctx'>,
  caller: Caller,
  incoming: Incoming,
): Awaitable<Admission> {
  relay.ctx.ledger.writes.require();
  const limits = limitsOf(relay, caller);
  if (limits.length === 0) {
    admitAddress(caller, incoming);
    return UNLIMITED;
  }
  return admitWithin(limits, relay, caller, incoming);
}

async function admitWithin(
  limits: readonly Limit[],
  relay: Ports<'ctx'>,
  caller: Caller,
  incoming: Incoming,
): Promise<Admission> {
  const { kv } = relay.ctx;
  const refuse: Refuse = (code, window, waitMs) =>
    limited(code, window, { waitMs, incoming, nowMs: relay.ctx.now() });
  let requests = await refuseExceeded(kv, limits, refuse);
  admitAddress(caller, incoming);
  for (const { total, totalError } of limits) {
    if (total === undefined) continue;
    const { waitMs, left } = await kv.windowState(total, 'take');
    if (waitMs > 0) throw refuse(totalError, total, waitMs);
    requests = tighter(requests, limitState(total, left));
  }
  const counted = limits.flatMap(({ success }) => success ?? []);
  if (counted.length === 0) return { countSuccess: COUNTS_NOTHING, requests };
  return { countSuccess: () => countAll(kv, counted), requests };
}

type Refuse = (code: ErrorCode, window: RateWindow, waitMs: number) => AppError;

/** The state of the tightest limit of successful calls, as if this call succeeded. */
async function refuseExceeded(
  kv: Kv,
  limits: readonly Limit[],
  refuse: Refuse,
): Promise<LimitState | undefined> {
  let requests: LimitState | undefined;
  for (const { success, successError, total, totalError } of limits) {
    if (success !== undefined) {
      const { waitMs, left } = await kv.windowState(success, 'peek');
      if (waitMs > 0) throw refuse(successError, success, waitMs);
      requests = tighter(requests, limitState(success, left - 1));
    }
    if (total === undefined) continue;
    const waitMs = await kv.peek(total);
    if (waitMs > 0) throw refuse(totalError, total, waitMs);
  }
  return requests;
}

function limitState({ limit, windowMs: resetMs }: RateWindow, left: number): LimitState {
  return { of: 'requests', limit, left: Math.max(0, left), resetMs };
}

/** Waits only if the counts are kept elsewhere. */
function countAll(kv: Pick<Kv, 'record'>, windows: readonly RateWindow[]): Awaitable<void> {
  const counting = windows.map((window) => kv.record(window)).filter((one) => one !== undefined);
  if (counting.length > 0) return Promise.all(counting).then(() => undefined);
}

/**
 * @throws AppError `address_denied` if the token lists addresses and this one is not among them.
 */
export function admitAddress({ token }: Caller, incoming: Incoming): void {
  if (token.allowed.length > 0 && !isInRanges(incoming.address, token.allowed)) {
    throw new AppError('address_denied');
  }
}

/** Whether calls of the group are exempt from the limits of tokens and users. */
export function isExempt({ ctx }: Ports<'ctx'>, group: string): boolean {
  const options = ctx.options();
  return (
    options.get('global.rate_limit_exempt_enabled') &&
    group === options.get('global.rate_limit_exempt_group')
  );
}

interface KeptLimits {
  readonly options: OptionValues;
  readonly user: UserEntry;
  readonly group: string;
  readonly limits: readonly Limit[];
}

/** The limits of each token; a changed token, user or option is a new object. */
const kept = new WeakMap<TokenEntry, KeptLimits>();

function limitsOf(relay: Ports<'ctx'>, caller: Caller): readonly Limit[] {
  const { token, user, group } = caller;
  const options = relay.ctx.options();
  const known = kept.get(token);
  if (known?.options === options && known.user === user && known.group === group)
    return known.limits;
  const limits = isExempt(relay, group) ? [] : limitsFor(options, caller);
  kept.set(token, { options, user, group, limits });
  return limits;
}

function limitsFor(options: OptionValues, caller: Caller): readonly Limit[] {
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

/** A limit of 0 or a window of length 0 means unlimited. */
function windowOf(key: string, limit: number, windowMs: number): RateWindow | undefined {
  return limit > 0 && windowMs > 0 ? { key, limit, windowMs, isModelCall: true } : undefined;
}

interface Refused {
  readonly waitMs: number;
  readonly incoming: Incoming;
  readonly nowMs: number;
}

function limited(
  code: ErrorCode,
  { limit, windowMs }: RateWindow,
  { waitMs, incoming, nowMs }: Refused,
): AppError {
  const standing = { of: 'requests', limit, left: 0, resetMs: waitMs } as const;
  return new AppError(
    code,
    { limit, minutes: Math.ceil(windowMs / 60_000) },
    {
      retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)),
      headers: limitHeaders(incoming, standing, nowMs),
    },
  );
}
