/**
 * Divides the event loop between calls, so that no body and no number of bodies blocks it. What has
 * to wait is continued one account after the other, as long as a turn of the loop has time left: the
 * calls of one account do not delay those of another by more than their own number of turns.
 */
import { nextTick } from 'node:process';

/** How long one slice of long work may run before it yields. */
const SLICE_MS = 8;
/** How long calls may be processed in one turn without waiting. */
const TURN_MS = 8;

/** Those who wait, by account, in the order in which the accounts are served. */
const waiting = new Map<number, (() => void)[]>();
let isTurnOpen = false;
let turnEndsMs = 0;

/**
 * Undefined while this turn of the event loop has time left, as it has in all but bursts of calls.
 * Otherwise resolves in a turn that has.
 */
export function turnOf(account: number): Promise<void> | undefined {
  const nowMs = performance.now();
  if (!isTurnOpen) openTurn(nowMs);
  return nowMs < turnEndsMs ? undefined : nextTurn(account);
}

function openTurn(nowMs: number): void {
  isTurnOpen = true;
  turnEndsMs = nowMs + TURN_MS;
  setImmediate(endTurn);
}

function endTurn(): void {
  isTurnOpen = false;
  if (waiting.size === 0) return;
  openTurn(performance.now());
  continueNext();
}

/**
 * Continues what waits, one after the other, until the turn's time is used: most calls that had to
 * wait for a long one need little themselves.
 */
function continueNext(): void {
  const [first] = waiting;
  if (first === undefined || performance.now() >= turnEndsMs) return;
  const [account, line] = first;
  const next = line.shift();
  // The account's further calls come after those of all others.
  waiting.delete(account);
  if (line.length > 0) waiting.set(account, line);
  next?.();
  // The tick comes after the promises, so after what the continued call does before it waits again.
  queueMicrotask(() => nextTick(continueNext));
}

/** Resolves in a turn of the event loop that has time left. */
function nextTurn(account: number): Promise<void> {
  return new Promise((resolve) => {
    const line = waiting.get(account);
    if (line === undefined) waiting.set(account, [resolve]);
    else line.push(resolve);
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
