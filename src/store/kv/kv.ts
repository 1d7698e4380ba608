/**
 * What several nodes must agree on for a short while: sliding-window counters, shares of caps, short
 * texts and "something changed" messages. Memory serves one process, a shared memory those of one
 * machine that belong together, Redis all. Nothing kept here
 * decides money, and a text that is lost costs nobody more than a little comfort.
 */
export interface Window {
  readonly key: string;
  /** Events allowed in the window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Of model calls: refused while Redis is away, where the operator wants no call without its limits. */
  readonly isOfCalls?: true;
}

/** What a window says of one event, and how many more fit now. */
export interface Room {
  /** 0 when it fits, else milliseconds until it would. */
  readonly waitMs: number;
  readonly left: number;
}

/** What may be taken at most: places of calls that run at the same time, or tokens in a minute. */
export interface Cap {
  readonly key: string;
  readonly of: 'calls' | 'tokens';
  /** 1 or more. */
  readonly limit: number;
}

/** Tokens of one call. */
export interface TokenNeed {
  /** It needs at least so many, and does not fit a cap below. */
  readonly least: number;
  /** It may need so many, or the whole of a cap below; not less than `least`. */
  readonly most: number;
}

/** What a call asks of all its caps at once. */
export interface ShareWish {
  /** Of the call; the same key is never taken twice under one id. */
  readonly id: string;
  readonly caps: readonly Cap[];
  /** Taken of each cap of tokens (`tokensTaken`); corrected when it is given back. */
  readonly tokens: TokenNeed;
  /** A share that is neither renewed nor given back for so long falls away: its node is gone. */
  readonly leaseMs: number;
}

/** Taken, and to be given back. */
export interface Share extends ShareWish {
  /** Epoch seconds by the clock of the store that gave it. */
  readonly atSec: number;
  readonly from: 'memory' | 'redis';
  /** What others may still take of each cap, in the order of `caps`. */
  readonly left: readonly number[];
}

/** The first cap that has no room, what little it has, and when there may be enough. */
export interface NoRoom {
  readonly full: Cap;
  readonly left: number;
  readonly waitMs: number;
}

/** Tokens count for at least as long after they were taken. */
export const TOKENS_WINDOW_SEC = 60;
/** They are kept by the second, and some are taken at its very end. */
export const TOKENS_KEPT_SEC = TOKENS_WINDOW_SEC + 1;
/** A place is free when a call ends, which nobody can foretell. */
export const PLACE_WAIT_MS = 1_000;

/** Of a cap of tokens: as many as the call may need, or all there are, so that it runs alone rather than never. */
export function tokensTaken({ limit }: Cap, { least, most }: TokenNeed): number {
  return Math.max(least, Math.min(most, limit));
}

/** Used beyond what was taken of a cap of tokens; below 0 for what was not used. */
export function tokensMore(cap: Cap, tokens: TokenNeed, used: number | undefined): number {
  return used === undefined ? 0 : used - tokensTaken(cap, tokens);
}

export interface Shares {
  /** A share of every cap, or of none. */
  takeShare(wish: ShareWish): Promise<Share | NoRoom>;
  renewShare(share: Share): Promise<void>;
  /** Frees its places; its tokens become what was really `used`, or stay where nobody knows that. */
  returnShare(share: Share, used: number | undefined): Promise<void>;
}

export interface Kv extends Shares {
  readonly kind: 'memory' | 'shared' | 'redis';
  /** False while Redis cannot be reached. */
  isUp(): boolean;
  readonly redis?: {
    readonly shape: 'single' | 'cluster' | 'sentinel';
    /** Questions without an answer since the start. */
    unanswered(): number;
  };
  /** Counts one event if it fits. 0 when counted, else milliseconds until one would fit. */
  take(window: Window): Promise<number>;
  /** As `take`, without counting. */
  peek(window: Window): Promise<number>;
  /** As `take` or `peek`, and tells how many more fit: a little more work than either. */
  room(window: Window, how: 'take' | 'peek'): Promise<Room>;
  /** Counts one event that has already happened, fit or not. */
  record(window: Window): Promise<void>;
  /** Forgets the events and the text of a key. */
  clear(key: string): Promise<void>;
  /** Keeps a text for a while; longer ones than `MAX_TEXT_CHARS` are not kept. Never rejects. */
  put(key: string, text: string, lifetimeMs: number): Promise<void>;
  /** The texts of these keys, in their order; undefined for those that are gone. Never rejects. */
  read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  publish(topic: string, text: string): Promise<void>;
  /** Calls back for messages of every node, this one included. */
  subscribe(topic: string, onMessage: (text: string) => void): Promise<void>;
  close(): Promise<void>;
}

export const MAX_TEXT_CHARS = 64 * 1024;
