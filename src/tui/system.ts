/** Opens the browser and writes files on this machine. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import type { Values } from '../session/values.ts';

export type TuiEnvironment = Readonly<Record<string, string | undefined>>;

/** Resolves to false without a desktop, such as over SSH. */
export function openUrl(url: string, env: TuiEnvironment): Promise<boolean> {
  const opener = openerFor(process.platform, env);
  if (opener === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

export function openerFor(platform: NodeJS.Platform, env: TuiEnvironment): string | undefined {
  if (env.SSH_CONNECTION) return undefined;
  if (env.BROWSER) return env.BROWSER;
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer';
  return env.DISPLAY || env.WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}

/** @throws AppError `argument_invalid` when the file exists or cannot be written. */
export async function writeNewFile(path: string, text: string, values: Values): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw values.refuse(path, isThere ? 'exists' : 'file', { path });
  }
}
