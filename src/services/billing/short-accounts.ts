/**
 * Accounts whose last hold was not covered. The fast script fails as a whole on such a hold, and a
 * client without balance usually repeats its call, so further holds of these accounts are committed
 * separately, statement by statement.
 */
import { isShort, type Operation, type Outcome } from '../../store/ledger/ledger-operations.ts';

const REMEMBERED_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

export class ShortAccounts {
  readonly #now: () => number;
  /** By user id: when a hold was not covered. */
  readonly #refusedAtMs = new Map<number, number>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the operation is a hold that is likely not covered. */
  isLikelyShort(operation: Operation): boolean {
    if (operation.kind !== 'hold') return false;
    const refusedAtMs = this.#refusedAtMs.get(operation.userId);
    return refusedAtMs !== undefined && this.#now() - refusedAtMs < REMEMBERED_MS;
  }

  record(operation: Operation, outcome: Outcome | undefined): void {
    if (operation.kind !== 'hold') return;
    const { userId } = operation;
    if (outcome === undefined || !isShort(outcome)) {
      this.#refusedAtMs.delete(userId);
      return;
    }
    if (this.#refusedAtMs.size >= MAX_ACCOUNTS) this.#refusedAtMs.clear();
    this.#refusedAtMs.set(userId, this.#now());
  }
}
