/**
 * Bytes of bodies that this process holds at the same time, from their arrival to the end of their
 * calls. Beyond it a body is refused before it is read, so that no number of uploads ends the process.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/errors/errors.ts';

const MB = 1024 * 1024;
/**
 * Memory that a byte of a body takes at most while its call runs: the byte itself, two for its text where
 * one character of it is beyond Latin-1, and one in what is sent upstream if that differs.
 */
const COST_PER_BYTE = 4;
/**
 * Lists, objects and numbers take memory that their length in the body does not show: `{},` is three
 * bytes there and 64 in memory. A unit is 40 bytes of memory; a list or object counts as four.
 */
const MEMORY_PER_UNIT = 40;
/** Of the memory: the rest is for everything else. */
const FOR_BODIES = 1 / 2;
/** Of the budget: what one account may use of it. */
const PER_ACCOUNT = 1 / 4;
/** Of the largest body: what its values may take beside it. */
const FOR_VALUES = 1 / 8;
/** Most calls are no larger. Large bodies leave a quarter of the budget's size free for these. */
export const SMALL_BODY_BYTES = 64 * 1024;
const ROOM_FOR_SMALL = 1 / 4;
/** A brotli decoder takes its window, up to 16 MB, with the first byte: so many at once in a process. */
const MAX_BROTLI = 4;
/** A place is free when a call ends, which nobody can foretell. */
const RETRY_AFTER_SEC = 2;

export class BodyBudget {
  readonly totalBytes: number;
  /** Of one account; the largest body fits, with its values. */
  readonly accountBytes: number;
  /** Of one body, unpacked. */
  readonly largestBytes: number;
  readonly #accounts = new Map<number, number>();
  #bytes = 0;
  #brotli = 0;

  constructor(totalBytes: number, maxBodyBytes: number) {
    this.totalBytes = totalBytes;
    this.largestBytes = Math.min(maxBodyBytes, totalBytes);
    const withValues = Math.min(totalBytes, this.largestBytes * (1 + FOR_VALUES));
    this.accountBytes = Math.floor(Math.max(totalBytes * PER_ACCOUNT, withValues));
  }

  /** Of all bodies now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** For one body; it takes nothing yet. `account`: a user's id. */
  open(account: number): BodyPlace {
    let bytes = 0;
    return {
      grow: (more) => {
        this.#take(account, more, bytes + more <= SMALL_BODY_BYTES);
        bytes += more;
      },
      hold(units) {
        this.grow(Math.ceil((units * MEMORY_PER_UNIT) / COST_PER_BYTE));
      },
      free: () => {
        this.#give(account, bytes);
        bytes = 0;
      },
    };
  }

  /** Runs `unpack`, which opens one brotli decoder. @throws AppError body_budget_full; what `unpack` throws. */
  async withBrotli<T>(unpack: () => Promise<T>): Promise<T> {
    if (this.#brotli >= MAX_BROTLI)
      throw new AppError('body_budget_full', {}, { retryAfterSec: RETRY_AFTER_SEC });
    this.#brotli++;
    try {
      return await unpack();
    } finally {
      this.#brotli--;
    }
  }

  #take(account: number, more: number, isSmall: boolean): void {
    const share = (this.#accounts.get(account) ?? 0) + more;
    const scale = isSmall ? 1 + ROOM_FOR_SMALL : 1;
    const retry = { retryAfterSec: RETRY_AFTER_SEC };
    if (share > this.accountBytes * scale) {
      const megabytes = Math.floor(this.accountBytes / MB);
      throw new AppError('body_share_full', { megabytes }, retry);
    }
    if (this.#bytes + more > this.totalBytes * scale)
      throw new AppError('body_budget_full', {}, retry);
    this.#accounts.set(account, share);
    this.#bytes += more;
  }

  #give(account: number, bytes: number): void {
    const left = (this.#accounts.get(account) ?? 0) - bytes;
    if (left > 0) this.#accounts.set(account, left);
    else this.#accounts.delete(account);
    this.#bytes -= bytes;
  }
}

export interface BodyPlace {
  /** Takes `more` bytes. @throws AppError body_share_full, body_budget_full; nothing is taken then. */
  grow(more: number): void;
  /** The same for values made of the body, in units of their memory (`MEMORY_PER_UNIT`). */
  hold(units: number): void;
  /** Gives all of it back; does nothing the second time. */
  free(): void;
}

export function createBodyBudget({ bodyBudgetMb, maxBodyMb, workers }: Config): BodyBudget {
  const total = bodyBudgetMb === undefined ? usualBytes(workers) : bodyBudgetMb * MB;
  return new BodyBudget(Math.floor(total), Math.floor(maxBodyMb * MB));
}

/** By the heap of this process, and its share of the machine's or the container's memory. */
function usualBytes(workers: number): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const memory = Math.min(getHeapStatistics().heap_size_limit, machine / workers);
  return (memory * FOR_BODIES) / COST_PER_BYTE;
}
