/**
 * Opens and closes everything that a command, the server or a test needs: configuration, databases,
 * secrets, options and logger.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { logMigrations, type Migration, migrations } from '../migrations/index.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { asEnvironmentError } from './environment-error.ts';
import { createFolder } from './folders.ts';
import { createLogger, type Logger } from './log.ts';
import { NO_OP_OBSERVER, type Observer } from './observe/observer.ts';
import { createSecrets, loadMasterKeys, type Secrets } from './secrets.ts';
import { createLedgerWriter } from './services/billing/ledger-writer.ts';
import type { SharedCommits } from './services/billing/shared-commits.ts';
import { createBackground } from './services/cluster/background-queue.ts';
import { createChangeFeed } from './services/cluster/change-feed.ts';
import { createLocalSignal } from './services/cluster/local-signal.ts';
import { createLogDelivery } from './services/logs/log-delivery.ts';
import { createMailer } from './services/messaging/mailer.ts';
import { notifyLowBalances } from './services/messaging/notify/events.ts';
import { loadOptions } from './services/options/options.ts';
import { encryptedHashKey } from './store/backup/sealed-values.ts';
import { type Databases, openSiteDatabases } from './store/connection/database.ts';
import { type WaitOptions, waitForDatabase } from './store/connection/wait-for-database.ts';
import type { Kv } from './store/kv/kv.ts';
import { createMemoryKv } from './store/kv/memory.ts';
import {
  type LogDatabase,
  logTableOf,
  openLogDatabase,
  requireCurrentLog,
} from './store/logs/log-database.ts';
import { migrate, requireCurrentSchema, schemaState } from './store/schema/migrate.ts';
import { VERSION } from './version.ts';

export interface OpenedSite {
  readonly ctx: Context;
  readonly databases: Databases;
  /** Flushes pending writes and closes all connections. */
  close(): Promise<void>;
}

export interface BootOptions {
  /** Migrates an empty or older schema first; without it such a schema is an error. */
  readonly migrate?: boolean;
  readonly log?: Logger;
  /** Used instead of Redis or the in-process store; closed with the rest. */
  readonly kv?: Kv;
  readonly now?: () => number;
  /** Commits calls through the parent process. */
  readonly sharedCommits?: SharedCommits | undefined;
  /** How long to wait for an unreachable database; by default it is an error at once. */
  readonly databaseWait?: WaitOptions;
  /** A no-op observer by default. */
  readonly observer?: Observer;
}

/**
 * @throws AppError config_invalid; what `openDatabases` and `requireCurrentSchema` throw;
 * secret_key_missing, secret_key_short, secret_key_wrong; the errors of `asEnvironmentError`.
 */
export async function boot(config: Config, options: BootOptions = {}): Promise<OpenedSite> {
  try {
    return await open(config, options);
  } catch (error) {
    throw asEnvironmentError(config, error);
  }
}

async function open(config: Config, options: BootOptions): Promise<OpenedSite> {
  const now = options.now ?? Date.now;
  const log = options.log ?? createLogger(config.logLevel, logFile(config));
  // Only the set-up of a new site creates files: a wrong path must not leave anything behind.
  if (options.migrate) createFolder(config.dataDir);
  const open = () => openDatabases(config, options, log);
  const { databases, logDatabase } =
    options.databaseWait === undefined
      ? await open()
      : await waitForDatabase(open, { ...options.databaseWait, log });
  let kv: Kv | undefined;
  try {
    const secrets = await openSecrets(config, databases);
    kv = options.kv ?? (await openKv(config, secrets, now, log));
    const observer = options.observer ?? NO_OP_OBSERVER;
    const { sharedCommits } = options;
    const parts = { config, databases, logDatabase, secrets, kv, log, now, observer };
    return await assemble({ ...parts, sharedCommits });
  } catch (error) {
    await Promise.allSettled([kv?.close(), logDatabase.close(), databases.close()]);
    throw error;
  }
}

interface OpenedDatabases {
  readonly databases: Databases;
  readonly logDatabase: LogDatabase;
}

/** Opens the main and the log database and checks that they have the schema this build needs. */
async function openDatabases(
  config: Config,
  { migrate = false }: BootOptions,
  log: Logger,
): Promise<OpenedDatabases> {
  const databases = await openSiteDatabases(config, { mayCreate: migrate });
  let logDatabase: LogDatabase | undefined;
  try {
    logDatabase = await openLogDatabase(config.logDatabase.open(), databases, {
      pool: config.databasePool,
      mayCreate: migrate,
    });
    if (migrate) {
      await bringUpToDate(databases, migrations, log);
      if (logDatabase.isSeparate) await bringUpToDate(logDatabase, logMigrations, log);
    }
    await requireCurrentSchema(databases);
    await requireCurrentLog(logDatabase);
    return { databases, logDatabase };
  } catch (error) {
    await Promise.allSettled([logDatabase?.close(), databases.close()]);
    throw error;
  }
}

const HALF_MIGRATION_WAIT_MS = 15_000;
/** How long pending notices may take at shutdown. */
const BACKGROUND_DRAIN_MS = 5_000;

/**
 * Migrates an empty or older schema. `requireCurrentSchema` refuses a newer one and one that an
 * interrupted migration left half done, because they need an administrator. Another process may be
 * migrating right now, so a half-done schema gets a short grace period.
 */
async function bringUpToDate(
  databases: Databases,
  list: readonly Migration[],
  log: Logger,
): Promise<void> {
  const deadlineMs = Date.now() + HALF_MIGRATION_WAIT_MS;
  let { state } = await schemaState(databases.db, list);
  while (state === 'half' && Date.now() < deadlineMs) {
    await pause(500);
    ({ state } = await schemaState(databases.db, list));
  }
  const onWait = () =>
    log.warn(
      { database: databases.location },
      'other processes use the tables; the migration retries',
    );
  if (state === 'empty' || state === 'behind') await migrate(databases, list, { onWait });
}

/** Path of the log file; '' means stderr. */
export function logFile({ logDir }: Config): string {
  return logDir === '' ? '' : path.join(logDir, 'gateway.log');
}

interface SiteParts {
  readonly config: Config;
  readonly databases: Databases;
  readonly logDatabase: LogDatabase;
  readonly secrets: Secrets;
  readonly kv: Kv;
  readonly log: Logger;
  readonly now: () => number;
  readonly observer: Observer;
  readonly sharedCommits: SharedCommits | undefined;
}

async function assemble(parts: SiteParts): Promise<OpenedSite> {
  const { config, databases, logDatabase, secrets, kv, log, now, observer } = parts;
  const signal = createLocalSignal(config.dataDir);
  const changes = createChangeFeed(databases.reads, { kv, signal, log });
  let values = await loadOptions({ reads: databases.reads, secrets, config });
  changes.on('options', async () => {
    values = await loadOptions({ reads: databases.reads, secrets, config });
  });
  const delivery = createLogDelivery(databases, logDatabase, log);
  delivery.start();
  const ledger = createLedgerWriter(databases, log, {
    logEntries: { table: logTableOf(logDatabase), onCommit: () => delivery.deliverSoon() },
    observer,
    shared: parts.sharedCommits,
  });
  const mailer = createMailer();
  const background = createBackground(log);
  const ctx: Context = {
    engine: databases.engine,
    db: databases.db,
    reads: databases.reads,
    logDatabase,
    kv,
    config,
    secrets,
    options: () => values,
    changes,
    ledger,
    mailer,
    background,
    log,
    observer,
    now,
    random: randomBytes,
    node: randomUUID(),
    version: VERSION,
  };
  await changes.pull();
  notifyLowBalances(ctx);
  return {
    ctx,
    databases,
    async close() {
      changes.stop();
      await ledger.flush();
      await background.drain(BACKGROUND_DRAIN_MS);
      await delivery.stop();
      mailer.close();
      await Promise.allSettled([kv.close(), logDatabase.close(), databases.close()]);
    },
  };
}

async function openKv(
  config: Config,
  secrets: Secrets,
  now: () => number,
  log: Logger,
): Promise<Kv> {
  const url = config.redisUrl.open();
  if (url === '') return createMemoryKv(now);
  // All nodes of a site share the secret key, so a keyed hash identifies the site.
  const site = secrets.hash('redis').slice(0, 12);
  // Loaded only here, because the client takes 20 MB of memory.
  const { connectRedisKv } = await import('./store/kv/redis.ts');
  return connectRedisKv({ url, site, onLoss: config.redisLoss, now, log });
}

/** Refuses a key that cannot decrypt the stored values before anything is written with it. */
async function openSecrets(config: Config, databases: Databases): Promise<Secrets> {
  const sample = await sealedSample(databases);
  const hashKey = await encryptedHashKey(databases.reads);
  const isNew = sample === undefined && hashKey === undefined;
  const { current, old, source } = loadMasterKeys(config, isNew);
  const secrets = createSecrets(current, { old, source });
  if (sample !== undefined) secrets.decrypt(sample);
  if (hashKey === undefined) return secrets;
  const opened = Buffer.from(secrets.decrypt(hashKey), 'base64');
  return createSecrets(current, { old, source, hashKey: opened });
}

async function sealedSample({ reads }: Databases): Promise<string | undefined> {
  for (const table of ['channel_keys', 'tokens']) {
    const row = await reads(table).orderBy('id').first(['key_cipher']);
    if (row !== undefined) return String(row.key_cipher);
  }
  return undefined;
}
