/**
 * Caps: how many calls may run at once, and how many tokens may be used per minute. A caller's cap
 * refuses the call; a channel's cap only moves it to another channel.
 */

import type { LimitState } from '../../dialects/hub/limit-headers.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError, type ErrorCode } from '../../domain/errors/errors.ts';
import { estimatePrompt } from '../../domain/token-count/token-estimate.ts';
import type { ChannelEntry } from '../../services/cache/routing-cache.ts';
import {
  type Cap,
  type FullCap,
  type Permit,
  TOKENS_WINDOW_SEC,
  type TokenNeed,
  tokensToTake,
} from '../../store/kv/kv.ts';
import { holdQuantity, type Quantity } from '../billing/billed-quantities.ts';
import type { Admitted, Routed } from '../call/admitted.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { limitHeaders, tighter } from './limit-headers.ts';
import { isExempt } from './rate-limits.ts';

type Owner = 'token' | 'user' | 'group';

/**
 * Takes permits of the caps of the call's token, user and group: all or none. Returns the call with
 * them.
 * @throws AppError token_calls_capped, token_tokens_capped and those of user and group, with the
 * seconds to wait.
 */
export function takeCallerPermit(
  relay: Ports<'ctx' | 'permits'>,
  call: Admitted,
): Awaitable<Admitted> {
  const caps = capsOfCaller(relay, call.caller);
  return caps.length === 0 ? call : withPermit(relay, call, caps);
}

async function withPermit(
  relay: Ports<'ctx' | 'permits'>,
  call: Admitted,
  caps: readonly Cap[],
): Promise<Admitted> {
  const { caller, incoming } = call;
  const tokenNeed = tokensFor(relay, call, caps);
  const taken = await relay.permits.take(incoming.requestId, caps, tokenNeed ?? NOTHING);
  if ('full' in taken)
    throw capped(relay, taken, { caller, incoming, tokens: tokenNeed ?? NOTHING });
  return { ...call, callerPermit: taken, tokenNeed };
}

/** State of the tightest token cap with this permit; dialects have no headers for call caps. */
export function tightestTokenCap({ caps, left }: Permit): LimitState | undefined {
  let tightest: LimitState | undefined;
  const resetMs = TOKENS_WINDOW_SEC * 1000;
  for (const [at, { of, limit }] of caps.entries())
    if (of === 'tokens') tightest = tighter(tightest, { of, limit, left: left[at] ?? 0, resetMs });
  return tightest;
}

/**
 * Like `takeCallerPermit`, when only the number of calls is known; returns a function that releases
 * the permits.
 */
export async function takeCallPermits(
  relay: Ports<'ctx' | 'permits'>,
  caller: Caller,
  incoming: Incoming,
): Promise<() => Promise<void>> {
  const caps = capsOfCaller(relay, caller).filter(({ of }) => of === 'calls');
  if (caps.length === 0) return async () => undefined;
  const taken = await relay.permits.take(incoming.requestId, caps, NOTHING);
  if ('full' in taken) throw capped(relay, taken, { caller, incoming, tokens: NOTHING });
  return () => relay.permits.release(taken, 0);
}

/** Undefined for a channel without caps; a full cap says when the channel may have capacity. */
export function takeChannelPermit(
  relay: Ports<'ctx' | 'permits'>,
  call: Admitted,
  channel: ChannelEntry,
): Awaitable<Permit | FullCap | undefined> {
  const caps = capsOfChannel(channel);
  if (caps.length === 0) return undefined;
  const tokens = tokensFor(relay, call, caps) ?? NOTHING;
  return relay.permits.take(call.incoming.requestId, caps, tokens);
}

/**
 * For a session of many calls: keeps the call permits until the session ends and releases the token
 * permits, because each call counts its own tokens. Returns a function that releases the call
 * permits.
 */
export async function keepCallPermits(
  relay: Ports<'permits'>,
  { callerPermit, route: { channelPermit } }: Admitted,
): Promise<() => Promise<void>> {
  const kept: Permit[] = [];
  for (const one of [callerPermit, channelPermit])
    if (one !== undefined) kept.push(await relay.permits.keepCallPermits(one));
  return async () => {
    for (const one of kept) await relay.permits.release(one, 0);
  };
}

/**
 * Takes the token permits of one call of a session from its caller's caps; undefined if there are
 * none.
 * @throws AppError token_tokens_capped and the like.
 */
export async function takeTokenPermits(
  relay: Ports<'ctx' | 'permits'>,
  { caller, incoming }: Admitted,
  tokens: TokenNeed,
): Promise<Permit | undefined> {
  const caps = capsOfCaller(relay, caller).filter(isOfTokens);
  if (caps.length === 0) return undefined;
  const taken = await relay.permits.take(incoming.requestId, caps, tokens);
  if ('full' in taken) throw capped(relay, taken, { caller, incoming, tokens });
  return taken;
}

/**
 * The call of a session with permits of all token caps of its caller and channel, even beyond the
 * limit.
 */
export function withUnreservedPermits(relay: Ports<'ctx' | 'permits'>, call: Routed): Routed {
  const { caller, incoming, callerPermit, route } = call;
  const take = (caps: readonly Cap[]) =>
    relay.permits.takeUnreserved(incoming.requestId, caps.filter(isOfTokens));
  const channelPermit = route.channelPermit ?? take(capsOfChannel(route.channel));
  return {
    ...call,
    callerPermit: callerPermit ?? take(capsOfCaller(relay, caller)),
    route: { ...route, channelPermit },
  };
}

function capsOfCaller(relay: Ports<'ctx'>, { token, user, group }: Caller): readonly Cap[] {
  const options = relay.ctx.options();
  const calls = options.get('GroupMaxConcurrency')[group] ?? 0;
  const tokens = options.get('GroupTokensPerMinute')[group] ?? 0;
  const forGroup = capsOf('group', group, calls, tokens);
  if (isExempt(relay, group)) return forGroup;
  const forToken = capsOf('token', token.id, token.caps.calls, token.caps.tokens);
  const forUser = capsOf('user', user.id, user.caps.calls, user.caps.tokens);
  if (forToken === NO_CAPS && forUser === NO_CAPS) return forGroup;
  return [...forToken, ...forUser, ...forGroup];
}

function capsOfChannel({ id, setting }: ChannelEntry): readonly Cap[] {
  return capsOf('channel', id, setting.maxConcurrency, setting.tokensPerMinute);
}

const NO_CAPS: readonly Cap[] = [];

/** 0 = no cap. */
function capsOf(
  owner: Owner | 'channel',
  id: number | string,
  calls: number,
  tokens: number,
): readonly Cap[] {
  if (calls === 0 && tokens === 0) return NO_CAPS;
  const limits = { calls, tokens };
  return (['calls', 'tokens'] as const)
    .filter((of) => limits[of] > 0)
    .map((of) => ({ key: `cap:${of}:${owner}:${id}`, of, limit: limits[of] }));
}

function isOfTokens({ of }: Cap): boolean {
  return of === 'tokens';
}

const NOTHING: TokenNeed = { least: 0, most: 0 };

/** Undefined if no cap needs the estimate. */
function tokensFor(
  relay: Ports<'ctx'>,
  call: Admitted,
  caps: readonly Cap[],
): TokenNeed | undefined {
  if (caps.every(({ of }) => of === 'calls')) return undefined;
  const { intent, incoming } = call;
  if (call.tokenNeed !== undefined) return call.tokenNeed;
  const prompt = estimatePrompt(intent.body, incoming.endpoint, lookupName(intent.model));
  return tokenNeed(prompt, holdQuantity(relay, call));
}

/** Needs the estimated prompt, and at most the output limit of every answer in addition. */
export function tokenNeed(prompt: number, { maxTokens = 0, answers = 1 }: Quantity): TokenNeed {
  return { least: prompt, most: prompt + maxTokens * answers };
}

const CODES: Readonly<Record<Cap['of'], Readonly<Record<Owner, ErrorCode>>>> = {
  calls: {
    token: 'token_calls_capped',
    user: 'user_calls_capped',
    group: 'group_calls_capped',
  },
  tokens: {
    token: 'token_tokens_capped',
    user: 'user_tokens_capped',
    group: 'group_tokens_capped',
  },
};

interface Refused {
  readonly caller: Caller;
  readonly incoming: Incoming;
  /** The tokens requested. */
  readonly tokens: TokenNeed;
}

function capped(
  relay: Ports<'ctx'>,
  { full, left, waitMs }: FullCap,
  { caller: { group }, incoming, tokens }: Refused,
): AppError {
  if (full.of === 'tokens' && tokens.least > full.limit)
    return new AppError('prompt_above_cap', { limit: full.limit, tokens: tokens.least });
  const [, , owner] = full.key.split(':');
  const code = CODES[full.of][owner as Owner]; // set by `capsOf`
  const isGroup = owner === 'group';
  const params = {
    limit: full.limit,
    ...(full.of === 'tokens' && { tokens: tokensToTake(full, tokens) }),
    ...(isGroup && { group }),
  };
  const standing = { of: 'tokens', limit: full.limit, left, resetMs: waitMs } as const;
  return new AppError(code, params, {
    retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)),
    ...(full.of === 'tokens' && { headers: limitHeaders(incoming, standing, relay.ctx.now()) }),
  });
}
