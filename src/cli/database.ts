/**
 * The database by itself, whatever its schema is. Loaded dynamically and in local mode only: no call
 * of the gateway may do any of this.
 */
import path from 'node:path';
import type { Config } from '../config.ts';
import { type Databases, openDatabases } from '../store/db.ts';
import * as maintenance from '../store/maintenance.ts';
import { migrate, type SchemaState, schemaState } from '../store/migrate.ts';

/** Opens, whatever the schema is, and closes again. */
async function withDatabases<T>(
  config: Config,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const databases = await openDatabases(config.database.open());
  try {
    return await work(databases);
  } finally {
    await databases.close();
  }
}

export function schemaOf(config: Config): Promise<SchemaState & { readonly location: string }> {
  return withDatabases(config, async ({ db, location }) => ({
    ...(await schemaState(db)),
    location,
  }));
}

/** The names of the migrations that were run. */
export function migrateDatabase(config: Config): Promise<string[]> {
  return withDatabases(config, migrate);
}

export function factsOf(config: Config): Promise<maintenance.DatabaseFacts> {
  return withDatabases(config, maintenance.factsOf);
}

export function backUp(config: Config, file: string) {
  return withDatabases(config, (databases) => maintenance.backUp(databases, path.resolve(file)));
}

export function vacuum(config: Config) {
  return withDatabases(config, maintenance.vacuum);
}
