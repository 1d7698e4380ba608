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
  requireKnownSchema,
  requireRestorable,
  restoreBackup,
} from '../../store/backup/restore.ts';
import { requireCurrentLog } from '../../store/logs/log-database.ts';
import { requireCurrentSchema } from '../../store/schema/migrate.ts';
import { MIGRATION_NAMES } from '../../store/schema/table-definitions.ts';
import { VERSION } from '../../version.ts';
import { withSite } from './local-database.ts';

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
  return withSite(config, async (targets) => {
    await requireCurrentSchema(targets.site);
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

/**
 * Performs all possible checks before changing anything.
 * @throws AppError backup_missing, backup_unreadable, backup_broken, backup_newer, restore_running,
 * restore_not_empty, restore_key_differs, restore_key_missing.
 */
export async function dryRunRestore(
  config: Config,
  file: string,
  replace: boolean,
): Promise<{ readonly summary: BackupSummary; readonly location: string }> {
  const summary = await inspectBackup(path.resolve(file));
  requireKnownSchema(summary);
  const { key_check, secret_key } = summary.head;
  const own = masterKeyText(config);
  if (own === undefined && secret_key === undefined && key_check !== '')
    throw new AppError('restore_key_missing', { file: keyFile(config) });
  if (own !== undefined && key_check !== '' && keyFingerprint(own) !== key_check)
    throw new AppError('restore_key_differs', { file: keyFile(config) });
  const check = async (targets: RestoreTargets) => {
    await requireRestorable(targets, replace);
    return { summary, location: targets.site.location };
  };
  // A file that does not exist is created by the restore.
  return withSite(config, check, 'restorable').catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'database_missing')) throw error;
    return { summary, location: String(error.params.location) };
  });
}

/** Call `dryRunRestore` first. */
export async function restoreSite(
  config: Config,
  file: string,
  { summary, replace, ...watch }: Watch & { summary: BackupSummary; replace: boolean },
): Promise<void> {
  const { secret_key } = summary.head;
  if (secret_key !== undefined && masterKeyText(config) === undefined)
    writeMasterKey(config, secret_key);
  const options = { replace, ...watch };
  const restore = (targets: RestoreTargets) =>
    restoreBackup(targets, path.resolve(file), summary, options);
  await withSite(config, restore, 'created');
}
