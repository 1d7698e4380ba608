/**
 * Direct database access, whatever the schema version. Loaded dynamically and in local mode only:
 * API calls must not be able to do this.
 */
import path from 'node:path';
import { logMigrations, type Migration, migrations } from '../../../migrations/index.ts';
import type { Config } from '../../config.ts';
import type { RestoreTargets } from '../../store/backup/restore.ts';
import { type Databases, openSiteDatabases } from '../../store/connection/database.ts';
import type { Engine } from '../../store/connection/engine.ts';
import { missingDatabase } from '../../store/connection/open-error.ts';
import { type LogDatabase, openLogDatabase, sharedLog } from '../../store/logs/log-database.ts';
import * as maintenance from '../../store/schema/maintenance.ts';
import { emptySchema, migrate, type SchemaState, schemaState } from '../../store/schema/migrate.ts';
import { storedOptions } from '../../store/tables/options-table.ts';

/** What a SQLite file that does not exist means: an error, nothing to lose, or one to create. */
type OpenMode = 'existing' | 'restorable' | 'created';

/** Opens the databases without a schema check and closes them afterwards. */
export async function withDatabases<T>(
  config: Config,
  work: (databases: Databases) => Promise<T>,
  mode: OpenMode = 'existing',
): Promise<T> {
  const databases = await openSiteDatabases(config, { mayCreate: mode === 'created' });
  try {
    return await work(databases);
  } finally {
    await databases.close();
  }
}

/** The same with the log database, which may be a separate one. */
export function withSite<T>(
  config: Config,
  work: (targets: RestoreTargets) => Promise<T>,
  mode: OpenMode = 'existing',
): Promise<T> {
  const workWith = async (site: Databases) => {
    const log = await openLog(config, site, mode);
    try {
      return await work({ site, log });
    } finally {
      await log.close();
    }
  };
  return withDatabases(config, workWith, mode);
}

async function openLog(
  { logDatabase }: Config,
  site: Databases,
  mode: OpenMode,
): Promise<LogDatabase> {
  try {
    return await openLogDatabase(logDatabase.open(), site, { mayCreate: mode === 'created' });
  } catch (error) {
    if (mode === 'restorable' && missingDatabase(error) !== undefined) return sharedLog(site);
    throw error;
  }
}

/** Undefined without a separate log database. */
function withLog<T>(
  config: Config,
  work: (log: LogDatabase) => Promise<T>,
  mode?: OpenMode,
): Promise<T | undefined> {
  const ifSeparate = async ({ log }: RestoreTargets) => (log.isSeparate ? work(log) : undefined);
  return withSite(config, ifSeparate, mode);
}

/**
 * State of the site's schema; `log` is the state of a separate log database. A SQLite file that does
 * not exist counts as an empty database.
 */
export async function schemaOf(config: Config): Promise<LocatedSchema & { log?: LocatedSchema }> {
  const site = await orMissing(
    withDatabases(config, (databases) => located(databases, migrations)),
    (location) => ({ ...emptySchema(migrations), location }),
  );
  const log = await orMissing(
    withLog(config, (databases) => located(databases, logMigrations)),
    (location) =>
      location === site.location ? undefined : { ...emptySchema(logMigrations), location },
  );
  return { ...site, ...(log && { log }) };
}

async function orMissing<T>(work: Promise<T>, missing: (location: string) => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const location = missingDatabase(error);
    if (location === undefined) throw error;
    return missing(location);
  }
}

type LocatedSchema = SchemaState & { readonly location: string };

async function located(
  { db, location }: Databases,
  list: readonly Migration[],
): Promise<LocatedSchema> {
  return { ...(await schemaState(db, list)), location };
}

/** Returns the names of the applied migrations; those of a log database are prefixed `log:`. */
export async function migrateDatabase(config: Config, onWait: () => void): Promise<string[]> {
  const migrateSite = (databases: Databases) => migrate(databases, migrations, { onWait });
  const done = await withDatabases(config, migrateSite, 'created');
  const ofLog = await withLog(config, (log) => migrate(log, logMigrations, { onWait }), 'created');
  return [...done, ...logNames(ofLog)];
}

/** Pending migrations, named as in `migrateDatabase`. */
export async function pendingMigrations(config: Config): Promise<string[]> {
  const { pending, log } = await schemaOf(config);
  return [...pending, ...logNames(log?.pending)];
}

function logNames(names: readonly string[] = []): string[] {
  return names.map((name) => `log:${name}`);
}

export async function factsOf(
  config: Config,
): Promise<maintenance.DatabaseFacts & { readonly log?: maintenance.DatabaseFacts }> {
  const site = await withDatabases(config, (databases) => maintenance.databaseFacts(databases));
  const log = await withLog(config, (log) => maintenance.databaseFacts(log, logMigrations));
  return { ...site, ...(log && { log }) };
}

export interface UpgradeFacts extends SchemaState {
  readonly engine: Engine;
  readonly location: string;
  readonly size_bytes: number;
  /** Stored texts by key, secrets still encrypted; empty if there is no table. */
  readonly options: ReadonlyMap<string, string>;
}

/** Facts that an upgrade to this version depends on; read-only. */
export function upgradeFacts(config: Config): Promise<UpgradeFacts> {
  return withDatabases(config, async (databases) => {
    const { engine, location, size_bytes } = await maintenance.databaseFacts(databases);
    const state = await schemaState(databases.db);
    const hasOptions = await databases.db.schema.hasTable('options');
    const options = hasOptions ? await storedOptions(databases.db) : new Map<string, string>();
    return { ...state, engine, location, size_bytes, options };
  });
}

export type LogUpgradeFacts = LocatedSchema & Pick<UpgradeFacts, 'engine' | 'size_bytes'>;

/** The same for a separate log database; undefined when the log is in the main database. */
export function logUpgradeFacts(config: Config): Promise<LogUpgradeFacts | undefined> {
  const facts = withLog(config, async (log) => {
    const { engine, size_bytes } = await maintenance.databaseFacts(log, logMigrations);
    return { ...(await located(log, logMigrations)), engine, size_bytes };
  });
  return orMissing<LogUpgradeFacts | undefined>(facts, (location) => ({
    ...emptySchema(logMigrations),
    location,
    engine: 'sqlite',
    size_bytes: 0,
  }));
}

export function backUp(config: Config, file: string) {
  return withDatabases(config, (databases) =>
    maintenance.copySqlite(databases, path.resolve(file)),
  );
}

export function vacuum(config: Config) {
  return withDatabases(config, maintenance.reclaimSpace);
}
