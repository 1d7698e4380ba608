/** The open Realtime sessions of this process, so that bans and shutdown can end them. */
import type { ChangeFeed } from '../../services/cluster/change-feed.ts';

declare module '../call/relay-ports.ts' {
  interface Relay {
    readonly sessions: Sessions;
  }
}

/** What bans and shutdown need of a session; `realtime-session.ts` implements it. */
interface OpenSession {
  isOf(table: 'tokens' | 'users', ids: readonly number[] | 'all'): boolean;
  recheck(): Promise<void>;
  drain(): void;
  breakOff(): void;
}

export class Sessions {
  readonly #running = new Map<OpenSession, Promise<void>>();
  /** Applied to sessions that open later, for example during shutdown. */
  #onAdd: (session: OpenSession) => void = () => undefined;

  constructor(changes: ChangeFeed) {
    for (const table of ['tokens', 'users'] as const)
      changes.on(table, async (ids) => {
        const concerned = [...this.#running.keys()].filter((one) => one.isOf(table, ids));
        await Promise.all(concerned.map((one) => one.recheck()));
      });
  }

  get size(): number {
    return this.#running.size;
  }

  add(session: OpenSession, ended: Promise<void>): void {
    this.#running.set(session, ended);
    this.#onAdd(session);
    const forget = () => this.#running.delete(session);
    ended.then(forget, forget);
  }

  /** Lets running responses finish, then closes; resolves when no session is left. */
  async drain(): Promise<void> {
    this.#forEach((session) => session.drain());
    await Promise.allSettled(this.#running.values());
  }

  breakOff(): void {
    this.#forEach((session) => session.breakOff());
  }

  #forEach(order: (session: OpenSession) => void): void {
    this.#onAdd = order;
    for (const session of this.#running.keys()) order(session);
  }
}
