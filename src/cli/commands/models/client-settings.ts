/**
 * Creates a temporary home folder for a client that needs a settings file: everything except that
 * file links to the user's own files.
 */

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ClientSettings } from '../../../domain/coding-clients.ts';
import { isObject, parseJson } from '../../../json/read-json.ts';
import type { Environment } from '../../process/process-io.ts';

/** Fills the new folder `home`; returns the environment variable that points to it. */
export async function writeSettings(
  home: string,
  { variable, folder, file, values }: ClientSettings,
  env: Environment,
): Promise<Readonly<Record<string, string>>> {
  const from = path.join(env[variable] || env.HOME || homedir(), folder);
  const to = path.join(home, folder);
  await mkdir(to, { mode: 0o700 });
  const names = await readdir(from).catch(() => []);
  const others = names.filter((name) => name !== file);
  await Promise.all(others.map((name) => symlink(path.join(from, name), path.join(to, name))));
  // The client also accepts comments; settings that contain them are ignored in this run.
  const own = parseJson(await readFile(path.join(from, file), 'utf8').catch(() => '')) ?? {};
  await writeFile(path.join(to, file), JSON.stringify(deepMerged(own, values)), { mode: 0o600 });
  return { [variable]: home };
}

function deepMerged(base: unknown, overrides: unknown): unknown {
  if (!isObject(base) || !isObject(overrides)) return overrides;
  const both = Object.entries(overrides).map(([name, value]) => [
    name,
    deepMerged(base[name], value),
  ]);
  return { ...base, ...Object.fromEntries(both) };
}
