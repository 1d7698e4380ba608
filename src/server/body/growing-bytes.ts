/** A contiguous buffer that grows as chunks arrive; many small chunks cost no more than one. */
import { AppError } from '../../domain/errors/errors.ts';
import type { BodyReservation } from '../../relay/body/body-budget.ts';

const FIRST_BYTES = 16 * 1024;

export class GrowingBytes {
  readonly #reservation: BodyReservation;
  readonly #maxBytes: number;
  #buffer: Buffer;
  #length = 0;

  /**
   * Reserves its share of the budget before allocating.
   * @throws AppError body_share_full, body_budget_full.
   */
  constructor(reservation: BodyReservation, expectedBytes: number, maxBytes: number) {
    this.#reservation = reservation;
    this.#maxBytes = maxBytes;
    reservation.grow(expectedBytes);
    this.#buffer = Buffer.allocUnsafe(expectedBytes);
  }

  /** @throws AppError body_too_large, body_share_full, body_budget_full. */
  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) throw new AppError('body_too_large', { limit: this.#maxBytes });
    if (length > this.#buffer.length) this.#enlarge(length);
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  all(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #enlarge(needed: number): void {
    const wished = Math.max(needed, this.#buffer.length * 2, FIRST_BYTES);
    const size = Math.max(needed, Math.min(wished, this.#maxBytes));
    this.#reservation.grow(size - this.#buffer.length);
    const larger = Buffer.allocUnsafe(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
