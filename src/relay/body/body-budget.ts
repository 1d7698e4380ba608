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
/**
 * Most bodies have at most this many units, such as 800 messages. The values of others are limited by
 * themselves, whatever the memory of the machine, because collecting them as garbage also takes time: 96 MB for an account, at least two of the
 * largest bodies, and four times that for the process.
 */
export const LIGHT_UNITS = 8192;
const ACCOUNT_UNITS = 2_400_000;
const TOTAL_UNITS = 4 * ACCOUNT_UNITS;
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
 * A brotli decoder allocates its window of up to 16 MB with the first byte, one for zstd up to 8 MB,
 * so the process limits concurrent decoders.
 */
const MAX_LARGE_WINDOWS = 4;
/** Fixed, because it is unknown when a running call will end and free its bytes. */
const RETRY = { retryAfterSec: 2 };

/** What calls hold together, for each account and for the process. */
class Held {
  readonly #accounts = new Map<number, number>();
  total = 0;

  of(account: number): number {
    return this.#accounts.get(account) ?? 0;
  }

  add(account: number, more: number): void {
    const sum = this.of(account) + more;
    if (sum > 0) this.#accounts.set(account, sum);
    else this.#accounts.delete(account);
    this.total += more;
  }
}

export class BodyBudget {
  readonly totalBytes: number;
  /** Limit of one account; it fits the largest body with its parsed values. */
  readonly accountBytes: number;
  /** Limit of one body after decompression. */
  readonly largestBytes: number;
  readonly #bytes = new Held();
  readonly #units = new Held();
  #largeWindows = 0;

  constructor(totalBytes: number, maxBodyBytes: number) {
    this.totalBytes = totalBytes;
    this.largestBytes = Math.min(maxBodyBytes, totalBytes);
    const withValues = Math.min(totalBytes, this.largestBytes * (1 + FOR_VALUES));
    this.accountBytes = Math.floor(Math.max(totalBytes * PER_ACCOUNT, withValues));
  }

  /** Bytes of all bodies held now. */
  get bytes(): number {
    return this.#bytes.total;
  }

  /** Starts counting one body; reserves nothing yet. `account`: a user's id. */
  open(account: number): BodyReservation {
    let bytes = 0;
    let units = 0;
    let heavyUnits = 0;
    return {
      grow: (more) => {
        this.#take(account, more, bytes);
        bytes += more;
      },
      hold: (more) => {
        const cost = Math.ceil((more * MEMORY_PER_UNIT) / COST_PER_BYTE);
        this.#take(account, cost, bytes);
        bytes += cost;
        units += more;
        if (units <= LIGHT_UNITS) return;
        this.#takeUnits(account, units - heavyUnits, units);
        heavyUnits = units;
      },
      free: () => {
        this.#bytes.add(account, -bytes);
        this.#units.add(account, -heavyUnits);
        bytes = 0;
        units = 0;
        heavyUnits = 0;
      },
    };
  }

  /**
   * Runs `unpack`, which opens one decoder with a large window.
   * @throws AppError body_budget_full; what `unpack` throws.
   */
  async withLargeWindow<T>(unpack: () => Promise<T>): Promise<T> {
    if (this.#largeWindows >= MAX_LARGE_WINDOWS) throw new AppError('body_budget_full', {}, RETRY);
    this.#largeWindows++;
    try {
      return await unpack();
    } finally {
      this.#largeWindows--;
    }
  }

  /** `own`: what the same body has taken before. */
  #take(account: number, more: number, own: number): void {
    const share = this.#bytes.of(account) + more;
    const scale = own + more <= SMALL_BODY_BYTES ? 1 + ROOM_FOR_SMALL : 1;
    const megabytes = Math.floor(this.accountBytes / MB);
    if (own + more > this.accountBytes) throw new AppError('body_needs_too_much', { megabytes });
    if (share > this.accountBytes * scale)
      throw new AppError('body_share_full', { megabytes }, RETRY);
    if (this.#bytes.total + more > this.totalBytes * scale)
      throw new AppError('body_budget_full', {}, RETRY);
    this.#bytes.add(account, more);
  }

  /** For the values of bodies with more than `LIGHT_UNITS`. `own`: all of the same body. */
  #takeUnits(account: number, more: number, own: number): void {
    const megabytes = Math.floor((ACCOUNT_UNITS * MEMORY_PER_UNIT) / MB);
    if (own > ACCOUNT_UNITS) throw new AppError('body_needs_too_much', { megabytes });
    if (this.#units.of(account) + more > ACCOUNT_UNITS)
      throw new AppError('body_share_full', { megabytes }, RETRY);
    if (this.#units.total + more > TOTAL_UNITS) throw new AppError('body_budget_full', {}, RETRY);
    this.#units.add(account, more);
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
