/**
 * Divides the event loop between calls, so that no body and no number of bodies blocks it. What has
 * to wait is continued as long as a turn of the loop has time left. The accounts share this time
 * equally (deficit round robin), so that expensive calls of one account, however many, delay the
 * light ones of another by little.
 */
import { nextTick } from 'node:process';

/** How long one slice of long work may run before it yields. */
const SLICE_MS = 8;
/** How long calls may be processed in one turn without waiting. */
const TURN_MS = 8;
/** What an account may use per round. */
const ROUND_MS = 1;

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

/** Continues waiting calls, one after the other, until the turn's time is used. */
function continueNext(): void {
  const startedMs = performance.now();
  const next = nextAccount();
  if (next === undefined || startedMs >= turnEndsMs) return;
  const [id, account] = next;
  account.line.shift()?.();
  // The tick comes after the promises, so after what the continued call does before it waits again.
  queueMicrotask(() =>
    nextTick(() => {
      account.leftMs = Math.max(account.leftMs - (performance.now() - startedMs), -SLICE_MS);
      if (account.line.length === 0) waiting.delete(id);
      continueNext();
    }),
  );
}

function nextAccount(): [number, Account] | undefined {
  for (const [id, account] of waiting) {
    if (account.leftMs > 0 || waiting.size === 1) return [id, account];
    account.leftMs += ROUND_MS;
    waiting.delete(id);
    waiting.set(id, account);
  }
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
