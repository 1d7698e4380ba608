/**
 * Caps: how many calls may run at once, and how many tokens may be used per minute. A caller's cap
 * refuses the call; a channel's cap only moves it to another channel.
 */

import type { LimitState } from '../../dialects/hub/limit-headers.ts';
import type { Awaitable } from '../../domain/awaitable.ts';
import { lookupName } from '../../domain/channels/model-names.ts';
import { AppError, type ErrorCode } from '../../domain/errors/errors.ts';
import { totalInput, totalOutput } from '../../domain/pricing/usage.ts';
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
import type { CallRecord } from '../call/call-record.ts';
import type { Caller } from '../call/caller.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { isExempt } from './admit.ts';
import { limitHeaders, tighter } from './limit-headers.ts';

type Owner = 'token' | 'user' | 'group';

/**
 * Takes permits of the caps of the call's token, user and group: all or none.
 * @throws AppError token_calls_capped, token_tokens_capped and those of user and group, with the
 * seconds to wait.
 */
export function takeCallerPermit(relay: Relay, record: CallRecord): Awaitable<void> {
  const caps = capsOfCaller(relay, record.caller);
  if (caps.length > 0) return takePermitOf(relay, record, caps);
}

async function takePermitOf(relay: Relay, record: CallRecord, caps: readonly Cap[]): Promise<void> {
  const { caller, incoming } = record;
  const tokens = tokensFor(relay, record, caps);
  const taken = await relay.permits.take(incoming.requestId, caps, tokens);
  if ('full' in taken) throw capped(relay, taken, { caller, incoming, tokens });
  record.callerPermit = taken;
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
  relay: Relay,
  caller: Caller,
  incoming: Incoming,
): Promise<() => Promise<void>> {
  const caps = capsOfCaller(relay, caller).filter(({ of }) => of === 'calls');
  if (caps.length === 0) return async () => undefined;
  const taken = await relay.permits.take(incoming.requestId, caps, NOTHING);
  if ('full' in taken) throw capped(relay, taken, { caller, incoming, tokens: NOTHING });
  return () => relay.permits.release(taken, 0);
}

/** Undefined if the permits were taken; else when the channel may have capacity. */
export function takeChannelPermit(
  relay: Relay,
  record: CallRecord,
  channel: ChannelEntry,
): Awaitable<FullCap | undefined> {
  const caps = capsOfChannel(channel);
  return caps.length === 0 ? undefined : takePermitAt(relay, record, caps);
}

async function takePermitAt(
  relay: Relay,
  record: CallRecord,
  caps: readonly Cap[],
): Promise<FullCap | undefined> {
  const tokens = tokensFor(relay, record, caps);
  const taken = await relay.permits.take(record.incoming.requestId, caps, tokens);
  if ('full' in taken) return taken;
  record.channelPermit = taken;
  return undefined;
}

/** Releases the channel's permits after a failed attempt; no tokens count. */
export function releaseChannelPermit(relay: Relay, record: CallRecord): Awaitable<void> {
  const { channelPermit } = record;
  record.channelPermit = undefined;
  if (channelPermit !== undefined) return relay.permits.release(channelPermit, 0);
}

/** Releases all permits at the end of a call and counts the tokens it used. */
export function releasePermits(relay: Relay, record: CallRecord): Awaitable<void> {
  record.incoming.upload.free();
  const { callerPermit, channelPermit } = record;
  if (callerPermit === undefined && channelPermit === undefined) return;
  record.callerPermit = undefined;
  record.channelPermit = undefined;
  return releaseAll(relay, [callerPermit, channelPermit], tokensUsedBy(record));
}

async function releaseAll(
  relay: Relay,
  permits: readonly (Permit | undefined)[],
  tokens: number | undefined,
): Promise<void> {
  for (const one of permits) if (one !== undefined) await relay.permits.release(one, tokens);
}

/**
 * For a session of many calls: keeps the call permits until the session ends and releases the token
 * permits, because each call counts its own tokens. Returns a function that releases the call
 * permits.
 */
export async function detachCallPermits(
  relay: Relay,
  record: CallRecord,
): Promise<() => Promise<void>> {
  const { callerPermit, channelPermit } = record;
  record.callerPermit = undefined;
  record.channelPermit = undefined;
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
  relay: Relay,
  { caller, incoming }: CallRecord,
  tokens: TokenNeed,
): Promise<Permit | undefined> {
  const caps = capsOfCaller(relay, caller).filter(isOfTokens);
  if (caps.length === 0) return undefined;
  const taken = await relay.permits.take(incoming.requestId, caps, tokens);
  if ('full' in taken) throw capped(relay, taken, { caller, incoming, tokens });
  return taken;
}

/** Counts a session's call in all token caps of its caller and channel, even beyond the limit. */
export function countTokenUse(relay: Relay, record: CallRecord): void {
  const { caller, channel, incoming } = record;
  const takeUnreserved = (caps: readonly Cap[]) =>
    relay.permits.takeUnreserved(incoming.requestId, caps.filter(isOfTokens));
  record.callerPermit ??= takeUnreserved(capsOfCaller(relay, caller));
  if (channel !== undefined) record.channelPermit ??= takeUnreserved(capsOfChannel(channel));
}

/** Undefined for a background answer, whose reservation counts as its usage. */
function tokensUsedBy({ ending, usage, inBackground }: CallRecord): number | undefined {
  if (inBackground) return undefined;
  if (ending === 'failed' || usage === undefined) return 0;
  return totalInput(usage) + totalOutput(usage);
}

function capsOfCaller(relay: Relay, { token, user, group }: Caller): readonly Cap[] {
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

/** Nothing is estimated if no cap needs it. */
function tokensFor(relay: Relay, record: CallRecord, caps: readonly Cap[]): TokenNeed {
  if (caps.every(({ of }) => of === 'calls')) return NOTHING;
  const { intent, incoming } = record;
  record.tokenNeed ??= tokenNeed(
    estimatePrompt(intent.body, incoming.endpoint, lookupName(intent.model)),
    holdQuantity(relay, record),
  );
  return record.tokenNeed;
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
  relay: Relay,
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
