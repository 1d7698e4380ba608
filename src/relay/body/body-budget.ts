/**
 * Limits the bytes of request bodies that this process holds at once, from arrival to the end of
 * their calls. A body beyond the limit is refused before it is read, so that uploads cannot exhaust
 * memory.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/errors/errors.ts';

const MB = 1024 * 1024;
/**
 * Most memory that one byte of a body takes while its call runs: the byte itself, two for its text
 * if a character is beyond Latin-1, and one for the upstream body if that differs.
 */
const COST_PER_BYTE = 4;
/**
 * Lists, objects and numbers take more memory than their length in the body shows: `{},` is three
 * bytes there and 64 in memory. A unit is 40 bytes of memory; a list or object counts as four.
 */
const MEMORY_PER_UNIT = 40;
/** Share of memory for bodies; the rest is for everything else. */
const FOR_BODIES = 1 / 2;
/** Share of the budget that one account may use. */
const PER_ACCOUNT = 1 / 4;
/** Memory allowed for parsed values, as a share of the largest body. */
const FOR_VALUES = 1 / 8;
/**
 * Most bodies are no larger than this. Large bodies leave a quarter of the budget free for them.
 */
export const SMALL_BODY_BYTES = 64 * 1024;
const ROOM_FOR_SMALL = 1 / 4;
/**
 * A brotli decoder allocates its window of up to 16 MB with the first byte, so the process limits
 * concurrent decoders.
 */
const MAX_BROTLI = 4;
/** Fixed, because it is unknown when a running call will end and free its bytes. */
const RETRY_AFTER_SEC = 2;

export class BodyBudget {
  readonly totalBytes: number;
  /** Limit of one account; it fits the largest body with its parsed values. */
  readonly accountBytes: number;
  /** Limit of one body after decompression. */
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

  /** Bytes of all bodies held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Starts counting one body; reserves nothing yet. `account`: a user's id. */
  open(account: number): BodyReservation {
    let bytes = 0;
    return {
      grow: (more) => {
        this.#take(account, more, bytes);
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

  /**
   * Runs `unpack`, which opens one brotli decoder.
   * @throws AppError body_budget_full; what `unpack` throws.
   */
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

  /** `own`: what the same body has taken before. */
  #take(account: number, more: number, own: number): void {
    const share = (this.#accounts.get(account) ?? 0) + more;
    const scale = own + more <= SMALL_BODY_BYTES ? 1 + ROOM_FOR_SMALL : 1;
    const retry = { retryAfterSec: RETRY_AFTER_SEC };
    const megabytes = Math.floor(this.accountBytes / MB);
    if (own + more > this.accountBytes) throw new AppError('body_needs_too_much', { megabytes });
    if (share > this.accountBytes * scale)
      throw new AppError('body_share_full', { megabytes }, retry);
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

export interface BodyReservation {
  /**
   * Reserves `more` bytes.
   * @throws AppError body_needs_too_much, body_share_full, body_budget_full; nothing is reserved then.
   */
  grow(more: number): void;
  /** Like `grow`, for values parsed from the body, in units of memory (`MEMORY_PER_UNIT`). */
  hold(units: number): void;
  /** Releases everything; does nothing when called again. */
  free(): void;
}

export function createBodyBudget({ bodyBudgetMb, maxBodyMb, workers }: Config): BodyBudget {
  const total = bodyBudgetMb === undefined ? usualBytes(workers) : bodyBudgetMb * MB;
  return new BodyBudget(Math.floor(total), Math.floor(maxBodyMb * MB));
}

/**
 * Default budget: from this process's heap limit and its share of the machine's or container's
 * memory.
 */
function usualBytes(workers: number): number {
  const machine = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const memory = Math.min(getHeapStatistics().heap_size_limit, machine / workers);
  return (memory * FOR_BODIES) / COST_PER_BYTE;
}
