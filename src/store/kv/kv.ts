/**
 * Short-lived state shared by several nodes: sliding-window counters, cap permits, short texts and
 * change notifications. Memory serves one process, shared memory the related processes of one
 * machine, Redis all nodes. No billing depends on it, and a lost text only costs a little
 * convenience.
 */
import type { Awaitable } from '../../domain/awaitable.ts';

export interface RateWindow {
  readonly key: string;
  /** Events allowed in the window. */
  readonly limit: number;
  readonly windowMs: number;
  /** For model calls: rejected while Redis is unavailable, if the operator enforces limits. */
  readonly isModelCall?: true;
}

/** The result of a window for one event, and how many more events fit now. */
export interface WindowState {
  /** 0 if it fits, otherwise milliseconds until it would. */
  readonly waitMs: number;
  readonly left: number;
}

/** A cap: the maximum number of concurrent calls, or of tokens per minute. */
export interface Cap {
  readonly key: string;
  readonly of: 'calls' | 'tokens';
  /** 1 or more. */
  readonly limit: number;
}

/** The tokens of one call. */
export interface TokenNeed {
  /** The minimum it needs; a smaller cap cannot fit it. */
  readonly least: number;
  /** The maximum it may need, limited to the cap; not less than `least`. */
  readonly most: number;
}

/** A call's request for permits of all its caps at once. */
export interface PermitRequest {
  /** Id of the call; the same key is never taken twice under one id. */
  readonly id: string;
  readonly caps: readonly Cap[];
  /** Taken from each token cap (`tokensToTake`); corrected when the permit is returned. */
  readonly tokens: TokenNeed;
  /** A permit neither renewed nor returned within this time expires: its node is gone. */
  readonly leaseMs: number;
}

/** A permit that was taken and must be returned. */
export interface Permit extends PermitRequest {
  /** Epoch seconds by the clock of the store that granted it. */
  readonly atSec: number;
  readonly grantedBy: 'memory' | 'redis';
  /** What remains of each cap, in the order of `caps`. */
  readonly left: readonly number[];
}

/** The first full cap, what remains of it, and when there may be enough capacity. */
export interface FullCap {
  readonly full: Cap;
  readonly left: number;
  readonly waitMs: number;
}

/** Tokens count for at least this long after they were taken. */
export const TOKENS_WINDOW_SEC = 60;
/** Tokens are kept per second, and some are taken at its very end. */
export const TOKENS_RETENTION_SEC = TOKENS_WINDOW_SEC + 1;
/** A concurrency slot is freed when a call ends, which cannot be predicted. */
export const CALL_PERMIT_WAIT_MS = 1_000;

/** Tokens to take from a token cap: at most the whole cap, so that a large call can run alone. */
export function tokensToTake({ limit }: Cap, { least, most }: TokenNeed): number {
  return Math.max(least, Math.min(most, limit));
}

/** Tokens used beyond those taken from a token cap; below 0 for unused ones. */
export function tokenCorrection(cap: Cap, tokens: TokenNeed, used: number | undefined): number {
  return used === undefined ? 0 : used - tokensToTake(cap, tokens);
}

export interface PermitStore {
  /** Takes a permit of every cap, or of none. */
  takePermit(request: PermitRequest): Promise<Permit | FullCap>;
  renewPermit(permit: Permit): Promise<void>;
  /** Frees its concurrency slots; its tokens become those `used`, or stay if that is unknown. */
  returnPermit(permit: Permit, used: number | undefined): Promise<void>;
}

export interface Kv extends PermitStore {
  readonly kind: 'memory' | 'shared' | 'redis';
  /** False while Redis is unreachable. */
  isUp(): boolean;
  readonly redis?: {
    readonly topology: 'single' | 'cluster' | 'sentinel';
    /** Commands without a response since the start. */
    timeouts(): number;
  };
  /** Counts one event if it fits. 0 when counted, otherwise milliseconds until one would fit. */
  take(window: RateWindow): Promise<number>;
  /** Same as `take`, without counting. */
  peek(window: RateWindow): Awaitable<number>;
  /** Same as `take` or `peek`, and also returns how many more fit, at slightly higher cost. */
  windowState(window: RateWindow, how: 'take' | 'peek'): Awaitable<WindowState>;
  /** Counts one event that has already happened, whether it fits or not. */
  record(window: RateWindow): Awaitable<void>;
  /** Deletes the events and the text of a key. */
  clear(key: string): Promise<void>;
  /** Stores a text temporarily, unless it is longer than `MAX_TEXT_CHARS`. Never rejects. */
  put(key: string, text: string, lifetimeMs: number): Promise<void>;
  /** The texts of these keys, in the same order; undefined for missing ones. Never rejects. */
  read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  publish(topic: string, text: string): Promise<void>;
  /** Calls back for messages of every node, including this one. */
  subscribe(topic: string, onMessage: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}

export const MAX_TEXT_CHARS = 64 * 1024;
