/** Cap permits within one process: per key the lease ends, or the tokens of each second. */
import {
  CALL_PERMIT_WAIT_MS,
  type Cap,
  type CapFull,
  type Permit,
  type PermitRequest,
  type PermitStore,
  TOKENS_KEPT_SEC,
  TOKENS_WINDOW_SEC,
  tokensMore,
  tokensTaken,
  type WindowState,
} from './kv.ts';

export interface MemoryPermits extends PermitStore {
  /** Drops empty keys. */
  sweep(): void;
}

export function createMemoryPermits(now: () => number): MemoryPermits {
  /** Key -> call id -> epoch ms of the lease's end. */
  const calls = new Map<string, Map<string, number>>();
  /** Key -> epoch second -> tokens taken in it; oldest first. */
  const spent = new Map<string, Map<number, number>>();

  const capState = (cap: Cap, { tokens }: PermitRequest): WindowState =>
    cap.of === 'calls'
      ? callWait(dropEnded(calls.get(cap.key), now()), cap)
      : tokenWait(dropOld(spent.get(cap.key), now()), cap, tokensTaken(cap, tokens), now());

  const occupy = (key: string, { id, leaseMs }: PermitRequest): void => {
    const held = calls.get(key) ?? new Map<string, number>();
    calls.set(key, held.set(id, now() + leaseMs));
  };

  const spend = (key: string, atSec: number, tokens: number): void => {
    if (tokens === 0) return;
    const seconds = spent.get(key) ?? new Map<number, number>();
    const left = (seconds.get(atSec) ?? 0) + tokens;
    if (left > 0) spent.set(key, seconds.set(atSec, left));
    else seconds.delete(atSec);
  };

  return {
    async takePermit(request) {
      const left: number[] = [];
      for (const cap of request.caps) {
        const windowState = capState(cap, request);
        if (windowState.waitMs > 0) return { full: cap, ...windowState } satisfies CapFull;
        left.push(windowState.left - (cap.of === 'calls' ? 1 : tokensTaken(cap, request.tokens)));
      }
      const atSec = secondOf(now());
      for (const cap of request.caps) {
        if (cap.of === 'calls') occupy(cap.key, request);
        else spend(cap.key, atSec, tokensTaken(cap, request.tokens));
      }
      return { ...request, atSec, from: 'memory', left } satisfies Permit;
    },
    async renewPermit(permit) {
      for (const { of, key } of permit.caps) if (of === 'calls') occupy(key, permit);
    },
    async returnPermit({ id, caps, tokens, atSec }, used) {
      for (const cap of caps) {
        const { of, key } = cap;
        const more = tokensMore(cap, tokens, used);
        if (of === 'calls') calls.get(key)?.delete(id);
        // Unused tokens are freed; tokens used beyond the permit are only known now.
        else if (more > 0) spend(key, secondOf(now()), more);
        else if (spent.get(key)?.has(atSec)) spend(key, atSec, more);
      }
    },
    sweep() {
      for (const [key, held] of calls) if (dropEnded(held, now())?.size === 0) calls.delete(key);
      for (const [key, seconds] of spent)
        if (dropOld(seconds, now())?.size === 0) spent.delete(key);
    },
  };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

function dropEnded(held: Map<string, number> | undefined, nowMs: number) {
  for (const [id, endsAtMs] of held ?? []) if (endsAtMs <= nowMs) held?.delete(id);
  return held;
}

function dropOld(seconds: Map<number, number> | undefined, nowMs: number) {
  const oldest = secondOf(nowMs) - TOKENS_KEPT_SEC;
  for (const atSec of seconds?.keys() ?? []) if (atSec <= oldest) seconds?.delete(atSec);
  return seconds;
}

function callWait(held: ReadonlyMap<string, number> | undefined, { limit }: Cap): WindowState {
  const left = Math.max(0, limit - (held?.size ?? 0));
  return { left, waitMs: left === 0 ? CALL_PERMIT_WAIT_MS : 0 };
}

/** The remaining tokens before this call takes its own. */
function tokenWait(
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
    return { left, waitMs: Math.max(1, (atSec + TOKENS_KEPT_SEC) * 1000 - nowMs) };
  }
  return { left, waitMs: TOKENS_WINDOW_SEC * 1000 };
}
