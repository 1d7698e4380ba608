/**
 * Changes the site's secret key: a new key replaces the key file, and everything encrypted with the
 * old key is re-encrypted. Both keys are accepted until that is done, so an interrupted change can
 * be resumed. Hashes stay valid: their key is kept in the database, encrypted.
 */
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/errors/errors.ts';
import {
  createSecrets,
  hashKeyOf,
  loadMasterKeys,
  oldKeyText,
  removeOldKey,
  replaceMasterKey,
  type Secrets,
} from '../../secrets.ts';
import { hasRunningNode } from '../../store/backup/restore.ts';
import {
  ENCRYPTED_COLUMNS,
  type EncryptedColumn,
  encryptedHashKey,
  type ReencryptOptions,
  reencryptColumn,
  saveHashKey,
} from '../../store/backup/sealed-values.ts';
import type { Databases } from '../../store/connection/database.ts';
import { requireCurrentSchema } from '../../store/schema/migrate.ts';
import { withDatabases } from './local-database.ts';

/** Encrypted values by `table.column`: those of the old key, or all that were re-encrypted. */
export type Resealed = Readonly<Record<string, number>>;

/**
 * Returns 'no old key' if the key comes from the environment and the previous one is not given.
 * @throws AppError gateway_running, sealed_unreadable, secret_key_missing.
 */
export async function rotateSecretKey(
  config: Config,
  options: ReencryptOptions & { readonly isDryRun: boolean },
): Promise<Resealed | 'no old key'> {
  const isGiven = config.secretKey.open() !== '';
  if (isGiven && oldKeyText(config) === undefined) return 'no old key';
  return withDatabases(config, async (databases) => {
    await requireCurrentSchema(databases);
    if (await hasRunningNode(databases.db)) throw new AppError('gateway_running');
    if (options.isDryRun) return openAll(databases, secretsOf(config), options);
    await keepHashKeyOf(databases, config);
    if (!isGiven) replaceMasterKey(config);
    const done = await resealAll(databases, secretsOf(config), options);
    if (!isGiven) removeOldKey(config);
    return done;
  });
}

function secretsOf(config: Config): Secrets {
  const { current, ...further } = loadMasterKeys(config, false);
  return createSecrets(current, further);
}

/** Before the change: stores the current hash key, so that existing hashes stay valid. */
async function keepHashKeyOf({ db, reads }: Databases, config: Config): Promise<void> {
  if ((await encryptedHashKey(reads)) !== undefined) return;
  const { current, old } = loadMasterKeys(config, false);
  const hashKey = hashKeyOf(old ?? current).toString('base64');
  await saveHashKey(db, createSecrets(current).encrypt(hashKey));
}

/** Repeats until nothing changes: a concurrent command may have encrypted with the old key. */
async function resealAll(
  databases: Databases,
  secrets: Secrets,
  options: ReencryptOptions,
): Promise<Resealed> {
  const done: Record<string, number> = {};
  for (let changed = -1; changed !== 0; ) {
    changed = 0;
    for (const location of ENCRYPTED_COLUMNS) {
      const renewed = (sealed: string, _: EncryptedColumn, key: string) =>
        secrets.isCurrent(sealed) ? sealed : reseal(secrets, sealed, location, key);
      const count = await reencryptColumn(databases, location, renewed, options);
      done[nameOf(location)] = (done[nameOf(location)] ?? 0) + count;
      changed += count;
    }
  }
  return done;
}

function reseal(secrets: Secrets, sealed: string, location: EncryptedColumn, key: string): string {
  try {
    return secrets.encrypt(secrets.decrypt(sealed));
  } catch (cause) {
    if (location.isTransient) return sealed;
    throw new AppError('sealed_unreadable', { column: nameOf(location), key }, { cause });
  }
}

/** Decrypts everything without writing. */
async function openAll(
  databases: Databases,
  secrets: Secrets,
  options: ReencryptOptions,
): Promise<Resealed> {
  const counts: Record<string, number> = {};
  for (const location of ENCRYPTED_COLUMNS) {
    const name = nameOf(location);
    counts[name] = 0;
    const count = (sealed: string, _: EncryptedColumn, key: string): string => {
      reseal(secrets, sealed, location, key);
      counts[name] = (counts[name] ?? 0) + 1;
      return sealed;
    };
    await reencryptColumn(databases, location, count, options);
  }
  return counts;
}

function nameOf({ table, column }: EncryptedColumn): string {
  return `${table}.${column}`;
}
