/** The context that every service function gets as its first argument. Built once, in `boot.ts`. */
import type { Knex } from 'knex';
import type { Config } from './config.ts';
import type { OptionValues } from './domain/options/registry.ts';
import type { Logger } from './log.ts';
import type { Observer } from './observe/observer.ts';
import type { Secrets } from './secrets.ts';
import type { LedgerWriter } from './services/billing/ledger-writer.ts';
import type { Background } from './services/cluster/background-queue.ts';
import type { ChangeFeed } from './services/cluster/change-feed.ts';
import type { Mailer } from './services/messaging/mailer.ts';
import type { Engine } from './store/connection/engine.ts';
import type { Kv } from './store/kv/kv.ts';
import type { LogDatabase } from './store/logs/log-database.ts';

export interface Context {
  readonly engine: Engine;
  /** The only pool that writes; inside `inTransaction`, the transaction. */
  readonly db: Knex;
  /** For lists and statistics: on SQLite read-only connections; inside `inTransaction`, the transaction. */
  readonly reads: Knex;
  /** The log and its statistics, accessed outside the main database's transactions. */
  readonly logDatabase: LogDatabase;
  /** Set for work that only the holder of a lease may do: see `services/cluster/lease-work.ts`. */
  readonly fence?: (trx: Knex.Transaction) => Promise<void>;
  readonly kv: Kv;
  readonly config: Config;
  readonly secrets: Secrets;
  /** The current option values; do not keep a value across calls. */
  readonly options: () => OptionValues;
  readonly changes: ChangeFeed;
  readonly ledger: LedgerWriter;
  readonly mailer: Mailer;
  readonly background: Background;
  readonly log: Logger;
  /** Receives events that metrics and traces are made from. */
  readonly observer: Observer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Cryptographically secure random bytes. */
  readonly random: (size: number) => Buffer;
  /** Id of this process, stored in holds and leases. */
  readonly node: string;
  readonly version: string;
}

/** Epoch seconds, the unit of every time column. */
export function nowSec(ctx: Pick<Context, 'now'>): number {
  return Math.floor(ctx.now() / 1000);
}
