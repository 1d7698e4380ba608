/** Opens everything a command, the server or a test needs, and closes it again. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { AppError } from './domain/errors.ts';
import { createLogger, type Logger } from './log.ts';
import { createSecrets, loadMasterKey, type Secrets } from './secrets.ts';
import { createBooks } from './services/books.ts';
import { createChangeFeed } from './services/change-feed.ts';
import { loadOptions } from './services/options.ts';
import { type Databases, openDatabases } from './store/db.ts';
import type { Kv } from './store/kv/kv.ts';
import { createMemoryKv } from './store/kv/memory.ts';
import { connectRedisKv } from './store/kv/redis.ts';
import { migrate, requireCurrentSchema, schemaState } from './store/migrate.ts';
import { VERSION } from './version.ts';

export interface Booted {
  readonly ctx: Context;
  readonly databases: Databases;
  /** Writes what still waits and closes every connection. */
  close(): Promise<void>;
}

export interface BootOptions {
  /** Bring an empty or older schema up to date first; otherwise such a schema is refused. */
  readonly migrate?: boolean;
  readonly log?: Logger;
  readonly now?: () => number;
}

/**
 * @throws AppError config_invalid, database_unreachable, schema_newer, schema_half, schema_behind,
 * secret_key_missing, secret_key_wrong.
 */
export async function boot(config: Config, options: BootOptions = {}): Promise<Booted> {
  const now = options.now ?? Date.now;
  const log = options.log ?? createLogger(config.logLevel, logFile(config));
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const databases = await openDatabases(config.database.open());
  let kv: Kv | undefined;
  try {
    if (options.migrate) await bringUpToDate(databases);
    await requireCurrentSchema(databases.db);
    const secrets = await openSecrets(config, databases);
    kv = await openKv(config, secrets, now, log);
    return await assemble({ config, databases, secrets, kv, log, now });
  } catch (error) {
    await Promise.allSettled([kv?.close(), databases.close()]);
    throw error;
  }
}

const HALF_PATIENCE_MS = 15_000;

/**
 * An empty or older schema is migrated. One that is newer, or that a cut migration left half done, is
 * for a person to look at: `requireCurrentSchema` refuses it. Another process may be at it just now,
 * so a half schema gets a moment to become whole.
 */
async function bringUpToDate(databases: Databases): Promise<void> {
  const giveUpAtMs = Date.now() + HALF_PATIENCE_MS;
  let { state } = await schemaState(databases.db);
  while (state === 'half' && Date.now() < giveUpAtMs) {
    await pause(500);
    ({ state } = await schemaState(databases.db));
  }
  if (state === 'empty' || state === 'behind') await migrate(databases);
}

function logFile({ logDir }: Config): string {
  return logDir === '' ? '' : path.join(logDir, 'gateway.log');
}

interface Parts {
  readonly config: Config;
  readonly databases: Databases;
  readonly secrets: Secrets;
  readonly kv: Kv;
  readonly log: Logger;
  readonly now: () => number;
}

async function assemble(parts: Parts): Promise<Booted> {
  const { config, databases, secrets, kv, log, now } = parts;
  const changes = createChangeFeed(databases.reads, kv, log);
  let values = await loadOptions({ reads: databases.reads, secrets });
  changes.on('options', async () => {
    values = await loadOptions({ reads: databases.reads, secrets });
  });
  const books = createBooks(databases, log);
  const ctx: Context = {
    engine: databases.engine,
    db: databases.db,
    reads: databases.reads,
    kv,
    config,
    secrets,
    options: () => values,
    changes,
    books,
    log,
    now,
    random: randomBytes,
    node: randomUUID(),
    version: VERSION,
  };
  await changes.pull();
  return {
    ctx,
    databases,
    async close() {
      changes.stop();
      await books.flush();
      await Promise.allSettled([kv.close(), databases.close()]);
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
  // The nodes of a site share its secret key, so a hash under it is the site's name.
  return connectRedisKv({ url, site: secrets.hash('redis').slice(0, 12), now, log });
}

/** A key that cannot open what is stored is refused before anything is written with it. */
async function openSecrets(config: Config, databases: Databases): Promise<Secrets> {
  const sample = await sealedSample(databases);
  const secrets = createSecrets(loadMasterKey(config, sample === undefined));
  if (sample !== undefined) {
    try {
      secrets.decrypt(sample);
    } catch (cause) {
      throw new AppError('secret_key_wrong', {}, { cause });
    }
  }
  return secrets;
}

async function sealedSample({ reads }: Databases): Promise<string | undefined> {
  for (const table of ['channel_keys', 'tokens']) {
    const row = await reads(table).orderBy('id').first(['key_cipher']);
    if (row !== undefined) return String(row.key_cipher);
  }
  return undefined;
}
