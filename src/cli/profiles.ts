/**
 * Servers that a person works with, by name, in one file of the XDG configuration folder. It may
 * hold access tokens: only its owner may read it.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { AppError } from '../domain/errors.ts';
import type { Environment } from './io.ts';
import { yamlText, yamlValue } from './yaml.ts';

const Profile = z.object({
  url: z.optional(z.string()),
  access_token: z.optional(z.string()),
  user_id: z.optional(z.string()),
  /** The entry of the system's keyring that holds the access token. */
  keyring: z.optional(z.string()),
});
const File = z.object({
  current: z.optional(z.string()),
  profiles: z._default(z.record(z.string(), Profile), {}),
});

export type Profile = z.output<typeof Profile>;
export type ProfileFile = z.output<typeof File>;
export const PROFILE_KEYS = ['url', 'access_token', 'user_id'] as const;

export function profilePath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || path.join(env.HOME || homedir(), '.config');
  return path.join(base, 'ai-model-gateway', 'config.yaml');
}

/** @throws AppError `config_invalid` for a file that others may read or that is none. */
export function readProfiles(env: Environment): ProfileFile {
  const file = profilePath(env);
  if (!existsSync(file)) return { profiles: {} };
  if (statSync(file).mode & 0o077) throw bad(file, 'others may read it: chmod 600');
  const parsed = z.safeParse(File, profilesIn(file));
  if (!parsed.success) throw bad(file, parsed.error.issues[0]?.message ?? 'is no profile file');
  return parsed.data;
}

/** An empty file has no profiles; what is not YAML is no file of profiles. */
function profilesIn(file: string): unknown {
  const value = yamlValue(readFileSync(file, 'utf8'));
  return value === null ? {} : value;
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export function writeProfiles(env: Environment, content: ProfileFile): void {
  const file = profilePath(env);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, yamlText(content), { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function bad(file: string, problem: string): AppError {
  return new AppError(
    'config_invalid',
    { key: file, names: '--profile', problem },
    { param: 'profile' },
  );
}

/** @throws AppError `profile_missing`. */
export function profileNamed(file: ProfileFile, name: string): Profile {
  const profile = file.profiles[name];
  if (profile === undefined) throw new AppError('profile_missing', { profile: name });
  return profile;
}
