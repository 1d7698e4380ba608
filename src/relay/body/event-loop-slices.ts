/**
 * Divides the event loop between calls, so that no body and no number of bodies blocks it. What has
 * to wait is continued as long as a turn of the loop has time left. The accounts share this time
 * equally (deficit round robin). While other accounts make calls, a long slice is followed by a rest
 * in which they go on, because each of their calls needs several turns. So expensive calls of one
 * account, however many, delay the light ones of another by little.
 */
import { nextTick } from 'node:process';

/** How long one slice of long work may run before it yields. */
const SLICE_MS = 8;
/** How long calls may be processed in one turn without waiting. */
const TURN_MS = 8;
/** What an account may use per round. */
const ROUND_MS = 1;
/** A slice of at least this length is followed by a rest, which lasts as long as the slice did. */
const LONG_MS = 4;
const MAX_REST_MS = 25;
/** How long after its last call an account counts as making calls. */
const ACTIVE_MS = 1_000;

interface Account {
  /** Its waiting calls, in their order. */
  readonly line: (() => void)[];
  /** What is left of its time; below 0 it lets others go first. */
  leftMs: number;
}

/** Those who wait, by account, in the order in which the accounts are served. */
const waiting = new Map<number, Account>();
let isTurnOpen = false;
let turnEndsMs = 0;
let restEndsMs = 0;
let isEndTimed = false;
/** The account of the latest call, and when another one made the latest call. */
let latestAccount = 0;
let otherCalledMs = Number.NEGATIVE_INFINITY;

/**
 * Undefined while this turn of the event loop has time left and no other call of the account waits,
 * as is so in all but bursts of calls. Otherwise resolves in a turn that has.
 */
export function turnOf(account: number): Promise<void> | undefined {
  const nowMs = performance.now();
  if (account !== latestAccount) {
    latestAccount = account;
    otherCalledMs = nowMs;
  }
  if (!isTurnOpen) openTurn(nowMs);
  return nowMs < turnEndsMs && !waiting.has(account) ? undefined : nextTurn(account);
}

function openTurn(nowMs: number): void {
  isTurnOpen = true;
  turnEndsMs = nowMs + TURN_MS;
  setImmediate(endTurn);
}

function endTurn(): void {
  isTurnOpen = false;
  if (waiting.size === 0) return;
  const nowMs = performance.now();
  if (nowMs < restEndsMs && !hasTimeLeft()) {
    if (!isEndTimed) setTimeout(endRest, restEndsMs - nowMs);
    isEndTimed = true;
    return;
  }
  openTurn(nowMs);
  continueNext();
}

function endRest(): void {
  isEndTimed = false;
  // An open turn ends by itself.
  if (!isTurnOpen) endTurn();
}

/** Continues waiting calls, one after the other, until the turn's time is used. */
function continueNext(): void {
  const startedMs = performance.now();
  const next = nextAccount(startedMs < restEndsMs);
  if (next === undefined || startedMs >= turnEndsMs) return;
  const [id, account] = next;
  account.line.shift()?.();
  // The tick comes after the promises, so after what the continued call does before it waits again.
  queueMicrotask(() =>
    nextTick(() => {
      const nowMs = performance.now();
      const tookMs = nowMs - startedMs;
      account.leftMs = Math.max(account.leftMs - tookMs, -SLICE_MS);
      if (tookMs >= LONG_MS && nowMs - otherCalledMs < ACTIVE_MS)
        restEndsMs = nowMs + Math.min(tookMs, MAX_REST_MS);
      if (account.line.length === 0) waiting.delete(id);
      continueNext();
    }),
  );
}

/** Undefined if none waits, or during a rest none that has time left. */
function nextAccount(isResting: boolean): [number, Account] | undefined {
  if (isResting && !hasTimeLeft()) return undefined;
  for (const [id, account] of waiting) {
    if (account.leftMs > 0 || (waiting.size === 1 && !isResting)) return [id, account];
    if (!isResting) account.leftMs += ROUND_MS;
    waiting.delete(id);
    waiting.set(id, account);
  }
}

function hasTimeLeft(): boolean {
  for (const { leftMs } of waiting.values()) if (leftMs > 0) return true;
  return false;
}

/** Resolves in a turn of the event loop that has time left. */
function nextTurn(account: number): Promise<void> {
  return new Promise((resolve) => {
    const known = waiting.get(account);
    if (known === undefined) waiting.set(account, { line: [resolve], leftMs: ROUND_MS });
    else known.line.push(resolve);
    if (!isTurnOpen) openTurn(performance.now());
  });
}

/** Times the slices of one long operation. */
export class Slices {
  readonly #account: number;
  #endsMs = 0;

  /** `account`: the user whose call it is; 0 if unknown. */
  constructor(account = 0) {
    this.#account = account;
  }

  /** Whether the slice's time is used up, and `next` must be awaited. */
  get isOver(): boolean {
    return performance.now() >= this.#endsMs;
  }

  /** Waits for the next slice; also required before the first one. */
  async next(): Promise<void> {
    await nextTurn(this.#account);
    this.#endsMs = performance.now() + SLICE_MS;
  }
}
