/** Backs up and restores a whole site, from and to any supported database. In local mode only. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { AppError } from '../../domain/errors/errors.ts';
import {
  keyFile,
  keyFingerprint,
  masterKeyText,
  oldKeyFile,
  writeMasterKey,
} from '../../secrets.ts';
import { writeBackup } from '../../store/backup/backup.ts';
import {
  BACKUP_FORMAT,
  type BackupSummary,
  inspectBackup,
} from '../../store/backup/backup-file.ts';
import {
  type RestoreTargets,
  requireRestorable,
  restoreBackup,
} from '../../store/backup/restore.ts';
import { openSiteDatabases } from '../../store/connection/database.ts';
import {
  type LogDatabase,
  openLogDatabase,
  requireCurrentLog,
} from '../../store/logs/log-database.ts';
import { requireCurrentSchema } from '../../store/schema/migrate.ts';
import { MIGRATION_NAMES } from '../../store/schema/table-definitions.ts';
import { VERSION } from '../../version.ts';

export interface Watch {
  readonly signal: AbortSignal;
  onRows(count: number): void;
}

/**
 * Returns rows by table, or 'exists' if the target file exists and was left alone.
 * @throws AppError secret_key_changing.
 */
export async function backUpSite(
  config: Config,
  file: string,
  { withSecretKey, ...watch }: Watch & { readonly withSecretKey: boolean },
): Promise<Readonly<Record<string, number>> | 'exists'> {
  // One key could decrypt only half of it.
  if (existsSync(oldKeyFile(config))) throw new AppError('secret_key_changing');
  return withTargets(config, async (targets) => {
    await requireCurrentSchema(targets.site.db);
    await requireCurrentLog(targets.log);
    const master = masterKeyText(config);
    const head = {
      gateway_backup: BACKUP_FORMAT,
      program: VERSION,
      created_at: new Date().toISOString(),
      schema: MIGRATION_NAMES,
      key_check: master === undefined ? '' : keyFingerprint(master),
      ...(withSecretKey && master !== undefined && { secret_key: master }),
    } as const;
    return writeBackup(targets, path.resolve(file), head, watch);
  });
}

async function withTargets<T>(
  config: Config,
  work: (targets: RestoreTargets) => Promise<T>,
): Promise<T> {
  const site = await openSiteDatabases(config);
  let log: LogDatabase | undefined;
  try {
    log = await openLogDatabase(config.logDatabase.open(), site);
    return await work({ site, log });
  } finally {
    await log?.close();
    await site.close();
  }
}

/**
 * Performs all possible checks before changing anything.
 * @throws AppError backup_unreadable, backup_newer, restore_running, restore_not_empty,
 * restore_key_differs.
 */
export async function rehearseRestore(
  config: Config,
  file: string,
  replace: boolean,
): Promise<{ readonly summary: BackupSummary; readonly location: string }> {
  const summary = await inspectBackup(path.resolve(file));
  const { key_check } = summary.head;
  const own = masterKeyText(config);
  if (own !== undefined && key_check !== '' && keyFingerprint(own) !== key_check)
    throw new AppError('restore_key_differs', { file: keyFile(config) });
  return withTargets(config, async (targets) => {
    await requireRestorable(targets, summary, replace);
    return { summary, location: targets.site.location };
  });
}

/** Call `rehearseRestore` first. */
export async function restoreSite(
  config: Config,
  file: string,
  { summary, replace, ...watch }: Watch & { summary: BackupSummary; replace: boolean },
): Promise<void> {
  const { secret_key } = summary.head;
  if (secret_key !== undefined && masterKeyText(config) === undefined)
    writeMasterKey(config, secret_key);
  await withTargets(config, (targets) =>
    restoreBackup(targets, path.resolve(file), summary, { replace, ...watch }),
  );
}
