/**
 * Named servers in one file of the XDG configuration folder. It may contain access tokens, so only
 * its owner may read it.
 */

import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type ErrorReason, reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { createFolder } from '../../folders.ts';
import type { Environment } from '../process/process-io.ts';
import { withWriteErrors } from '../process/write-failure.ts';
import type { Profile, ProfileFile } from './profile-file.ts';
export const PROFILE_KEYS = ['url', 'access_token', 'user_id'] as const;

export function profilePath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || path.join(env.HOME || homedir(), '.config');
  return path.join(base, 'ai-model-gateway', 'config.yaml');
}

/** @throws AppError `config_invalid` for a file that is invalid or readable by others. */
export async function readProfiles(env: Environment): Promise<ProfileFile> {
  const file = profilePath(env);
  if (!existsSync(file)) return { profiles: {} };
  if (statSync(file).mode & 0o077) throw invalidProfiles(file, 'profile_mode');
  const { parseProfiles } = await import('./profile-file.ts');
  const parsed = parseProfiles(readFileSync(file, 'utf8'));
  if (parsed === undefined) throw invalidProfiles(file, 'profile_form');
  return parsed;
}

/** Writes atomically; the file is never readable by others, not even briefly. */
export async function writeProfiles(env: Environment, content: ProfileFile): Promise<void> {
  const { profilesText } = await import('./profile-file.ts');
  const file = profilePath(env);
  const draft = `${file}.${process.pid}`;
  await withWriteErrors(file, async () => {
    createFolder(path.dirname(file));
    writeFileSync(draft, profilesText(content), { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  });
}

function invalidProfiles(file: string, reason: ErrorReason): AppError {
  const params = reasonParams(reason, { key: 'profile', names: file });
  return new AppError('config_invalid', params, { param: 'profile' });
}

/** @throws AppError `profile_missing`. */
export function profileNamed(file: ProfileFile, name: string): Profile {
  const profile = file.profiles[name];
  if (profile === undefined) throw new AppError('profile_missing', { profile: name });
  return profile;
}
