/** Cap permits within one process: per key the lease ends, or the tokens of each second. */
import {
  CALL_PERMIT_WAIT_MS,
  type Cap,
  type FullCap,
  type Permit,
  type PermitRequest,
  type PermitStore,
  TOKENS_RETENTION_SEC,
  TOKENS_WINDOW_SEC,
  tokenCorrection,
  tokensToTake,
  type WindowState,
} from './kv.ts';

export interface MemoryPermits extends PermitStore {
  /** Drops empty keys. */
  removeEmptyKeys(): void;
}

export function createMemoryPermits(now: () => number): MemoryPermits {
  /** Key -> call id -> epoch ms of the lease's end. */
  const calls = new Map<string, Map<string, number>>();
  /** Key -> epoch second -> tokens taken in it; oldest first. */
  const tokensBySecond = new Map<string, Map<number, number>>();

  const capState = (cap: Cap, { tokens }: PermitRequest): WindowState =>
    cap.of === 'calls'
      ? callCapState(dropExpiredLeases(calls.get(cap.key), now()), cap)
      : tokenCapState(
          dropOldSeconds(tokensBySecond.get(cap.key), now()),
          cap,
          tokensToTake(cap, tokens),
          now(),
        );

  const setLease = (key: string, { id, leaseMs }: PermitRequest): void => {
    const held = calls.get(key) ?? new Map<string, number>();
    calls.set(key, held.set(id, now() + leaseMs));
  };

  const addTokens = (key: string, atSec: number, tokens: number): void => {
    if (tokens === 0) return;
    const seconds = tokensBySecond.get(key) ?? new Map<number, number>();
    const left = (seconds.get(atSec) ?? 0) + tokens;
    if (left > 0) tokensBySecond.set(key, seconds.set(atSec, left));
    else seconds.delete(atSec);
  };

  return {
    async takePermit(request) {
      const left: number[] = [];
      for (const cap of request.caps) {
        const windowState = capState(cap, request);
        if (windowState.waitMs > 0) return { full: cap, ...windowState } satisfies FullCap;
        left.push(windowState.left - (cap.of === 'calls' ? 1 : tokensToTake(cap, request.tokens)));
      }
      const atSec = secondOf(now());
      for (const cap of request.caps) {
        if (cap.of === 'calls') setLease(cap.key, request);
        else addTokens(cap.key, atSec, tokensToTake(cap, request.tokens));
      }
      return { ...request, atSec, grantedBy: 'memory', left } satisfies Permit;
    },
    async renewPermit(permit) {
      for (const { of, key } of permit.caps) if (of === 'calls') setLease(key, permit);
    },
    async returnPermit({ id, caps, tokens, atSec }, used) {
      for (const cap of caps) {
        const { of, key } = cap;
        const more = tokenCorrection(cap, tokens, used);
        if (of === 'calls') calls.get(key)?.delete(id);
        // Unused tokens are freed; tokens used beyond the permit are only known now.
        else if (more > 0) addTokens(key, secondOf(now()), more);
        else if (tokensBySecond.get(key)?.has(atSec)) addTokens(key, atSec, more);
      }
    },
    removeEmptyKeys() {
      for (const [key, held] of calls)
        if (dropExpiredLeases(held, now())?.size === 0) calls.delete(key);
      for (const [key, seconds] of tokensBySecond)
        if (dropOldSeconds(seconds, now())?.size === 0) tokensBySecond.delete(key);
    },
  };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

function dropExpiredLeases(held: Map<string, number> | undefined, nowMs: number) {
  for (const [id, endsAtMs] of held ?? []) if (endsAtMs <= nowMs) held?.delete(id);
  return held;
}

function dropOldSeconds(seconds: Map<number, number> | undefined, nowMs: number) {
  const oldest = secondOf(nowMs) - TOKENS_RETENTION_SEC;
  for (const atSec of seconds?.keys() ?? []) if (atSec <= oldest) seconds?.delete(atSec);
  return seconds;
}

function callCapState(held: ReadonlyMap<string, number> | undefined, { limit }: Cap): WindowState {
  const left = Math.max(0, limit - (held?.size ?? 0));
  return { left, waitMs: left === 0 ? CALL_PERMIT_WAIT_MS : 0 };
}

/** The remaining tokens before this call takes its own. */
function tokenCapState(
  seconds: ReadonlyMap<number, number> | undefined,
  { limit }: Cap,
  tokens: number,
  nowMs: number,
): WindowState {
  let sum = 0;
  for (const taken of seconds?.values() ?? []) sum += taken;
  const left = Math.max(0, limit - sum);
  // A call of unknown size needs room for at least one token.
  let over = sum + Math.max(1, tokens) - limit;
  if (over <= 0) return { left, waitMs: 0 };
  for (const [atSec, taken] of seconds ?? []) {
    over -= taken;
    if (over > 0) continue;
    return { left, waitMs: Math.max(1, (atSec + TOKENS_RETENTION_SEC) * 1000 - nowMs) };
  }
  return { left, waitMs: TOKENS_WINDOW_SEC * 1000 };
}
