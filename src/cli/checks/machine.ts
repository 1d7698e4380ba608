/** Checks that run before anything is opened. */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { parseDsn } from '../../store/connection/dsn.ts';
import { NODE_RANGE } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { type Check, type Finding, failed, naming, passed, warning } from './check.ts';

export const nodeVersion: Check<unknown> = {
  name: 'node',
  look: (_subject, { t }) => {
    const { node } = process.versions;
    return isAtLeast(node, NODE_RANGE.replace(/^>=/, ''))
      ? passed(node)
      : failed(t('cli.doctor.old_node', { version: node, wanted: NODE_RANGE }));
  },
};

function isAtLeast(version: string, wanted: string): boolean {
  const numbers = version.split('.').map(Number);
  for (const [index, least] of wanted.split('.').map(Number).entries()) {
    const number = numbers[index] ?? 0;
    if (number !== least) return number > least;
  }
  return true;
}

/** Variables of the command line itself, in addition to those of the configuration. */
const OWN_VARIABLES = [
  'GATEWAY_URL',
  'GATEWAY_ACCESS_TOKEN',
  'GATEWAY_PASSWORD',
  'GATEWAY_KEYRING',
  'GATEWAY_LANG',
];

/** An unknown name is a setting without effect. */
export const variables: Check<unknown> = {
  name: 'environment',
  look: async (_subject, cli) => {
    const { CONFIG_VARIABLES } = await import('../../config.ts');
    const known = new Set([...CONFIG_VARIABLES, ...OWN_VARIABLES]);
    const own = Object.keys(cli.io.env).filter((name) => name.startsWith('GATEWAY_'));
    const unknown = own.filter((name) => !known.has(name));
    return naming(unknown, warning, cli, 'cli.doctor.unknown_variables');
  },
};

const MEGABYTE = 1_000_000;
const LOW_DISK_MB = 1_000;
const MIN_DISK_MB = 100;

const disk: Check<Config> = {
  name: 'disk',
  look: ({ dataDir }, cli) => diskFinding(dataDir, 0, cli),
};

/** `neededBytes`: the space about to be used there. */
export function diskFinding(folder: string, neededBytes: number, { t }: Cli): Finding {
  const { bavail, bsize } = statfsSync(existing(folder));
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  const needed = Math.ceil(neededBytes / MEGABYTE);
  const text = t('cli.doctor.disk', { free, needed });
  if (free < Math.max(MIN_DISK_MB, needed)) return failed(text);
  return free < LOW_DISK_MB ? warning(text) : passed(text);
}

/** The folder, or its nearest existing ancestor. */
function existing(folder: string): string {
  let at = path.resolve(folder);
  while (!existsSync(at) && path.dirname(at) !== at) at = path.dirname(at);
  return at;
}

export const MACHINE_CHECKS: readonly Check<Config>[] = [
  nodeVersion,
  variables,
  {
    name: 'data_folder',
    look: ({ dataDir }, { t }) => {
      const mode = modeOf(dataDir);
      if (mode === undefined) return warning(t('cli.doctor.no_folder', { path: dataDir }));
      return mode & 0o077
        ? warning(t('cli.doctor.open_folder', { path: dataDir }))
        : passed(dataDir);
    },
  },
  {
    name: 'secret_key',
    look: ({ secretKey, dataDir }, { t }) => {
      if (secretKey.open() !== '') return passed('GATEWAY_SECRET_KEY');
      const file = path.join(dataDir, 'secret.key');
      const mode = modeOf(file);
      if (mode === undefined) return warning(t('cli.doctor.no_key', { path: file }));
      if (modeOf(`${file}.old`) !== undefined) return warning(t('cli.doctor.two_keys'));
      return mode & 0o077 ? failed(t('cli.doctor.open_key', { path: file })) : passed(file);
    },
  },
  {
    name: 'database_file',
    look: ({ database, databaseSource }, { t }) => {
      const dsn = parseDsn(database.open(), databaseSource);
      if (dsn.engine !== 'sqlite') return passed(dsn.location);
      const folder = path.dirname(dsn.filename);
      const folderMode = modeOf(folder) ?? 0;
      const open = ['', '-wal', '-shm']
        .map((end) => dsn.filename + end)
        .find((file) => (modeOf(file) ?? 0) & 0o077);
      // Files in a folder that only its owner can enter are protected.
      if (open !== undefined && folderMode & 0o077)
        return failed(t('cli.doctor.open_key', { path: open }));
      return folderMode & 0o022
        ? warning(t('cli.doctor.open_folder', { path: folder }))
        : passed(dsn.filename);
    },
  },
  disk,
  sqliteDriver(() => createRequire(import.meta.url)('sqlite3')),
];

/** The only dependency with native code: without a prebuilt driver, npm compiles it or skips it. */
export function sqliteDriver(
  load: () => unknown,
): Check<Pick<Config, 'database' | 'databaseSource'>> {
  return {
    name: 'sqlite_driver',
    look: ({ database, databaseSource }, { t }) => {
      if (parseDsn(database.open(), databaseSource).engine !== 'sqlite') return passed();
      const platform = `${process.platform}-${process.arch}`;
      try {
        load();
        return passed(platform);
      } catch {
        return failed(t('cli.doctor.no_driver', { platform }));
      }
    },
  };
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode;
}
