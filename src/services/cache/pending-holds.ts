/** Holds that this process is writing, which the database does not know yet. */
import type { Knex } from 'knex';
import { freeQuota, type Spender, type Standing, spenderName, standingOf } from './free-quota.ts';

export class PendingHolds {
  readonly #reads: Knex;
  /** Units by account. */
  readonly #units = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  /** Running queries by user: many concurrent calls share one. */
  readonly #queries = new Map<number, Promise<number>>();

  constructor({ reads }: { readonly reads: Knex }) {
    this.#reads = reads;
  }

  /** What the account has left beside its holds, according to the database. */
  freeOfUser(userId: number): Promise<number> {
    const free =
      this.#queries.get(userId) ??
      freeQuota(this.#reads, { userId, tokenId: 0 }).finally(() => this.#queries.delete(userId));
    this.#queries.set(userId, free);
    return free;
  }

  /** What the account has free, where pending holds count as held. */
  async standingOf(spender: Spender): Promise<Standing> {
    // Before the database is asked: it may know some of them by then.
    const pending = this.#unitsOf(spender);
    const { free, held } = await standingOf(this.#reads, spender);
    return { free: free - pending, held: held + pending };
  }

  leftOf(spender: Spender, free: number): number {
    return free - this.#unitsOf(spender);
  }

  /** Runs after the work that was given before it for the same account. */
  inTurn<T>(spender: Spender, work: () => Promise<T>): Promise<T> {
    const name = spenderName(spender);
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(name, ended);
    void ended.then(() => {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    });
    return turn;
  }

  /** Counts a hold as pending until the database knows it. */
  async whileReserving<T>(spender: Spender, units: number, work: () => Promise<T>): Promise<T> {
    const name = spenderName(spender);
    this.#units.set(name, this.#unitsOf(spender) + units);
    try {
      return await work();
    } finally {
      const left = this.#unitsOf(spender) - units;
      if (left > 0) this.#units.set(name, left);
      else this.#units.delete(name);
    }
  }

  #unitsOf(spender: Spender): number {
    return this.#units.get(spenderName(spender)) ?? 0;
  }
}
