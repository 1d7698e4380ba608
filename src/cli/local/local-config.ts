/** This invocation's configuration: flags, then environment, then `.env` in the working folder. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Config, ConfigFlags } from '../../config.ts';
import type { Environment } from '../process/process-io.ts';

/** @throws AppError `config_invalid` naming the key and its source. */
export async function loadSettings(flags: ConfigFlags, env: Environment): Promise<Config> {
  const { loadConfig } = await import('../../config.ts');
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return loadConfig(flags, env, file);
}
