/** Selects the site of a command: a remote server, or the one whose database is local. */

import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Server } from '../../session/http.ts';
import { withoutLastLineBreak } from '../../session/values.ts';
import type { CommandContext } from '../command-context.ts';
import type { Profile } from './profile-file.ts';
import { storedToken } from './profile-token.ts';
import { profileNamed, readProfiles } from './profiles.ts';

/** Any of these in the environment selects the local site. */
const LOCAL_VARIABLES = ['GATEWAY_DATA', 'GATEWAY_DB', 'DATABASE_URL', 'SQL_DSN', 'SQLITE_PATH'];

/**
 * Precedence: flag, environment, current profile; `--profile` counts as a flag. Settings that name
 * a local database select the local site.
 */
export async function serverOf(cli: CommandContext): Promise<Server | undefined> {
  const { globals, io } = cli;
  const isNamed = globals.profile !== undefined;
  const given = globals.url ?? (isNamed || isLocal(cli) ? undefined : io.env.GATEWAY_URL);
  const profile = await profileOf(cli, given);
  const url = given ?? profile?.url;
  if (!url) return undefined;
  return {
    url: addressOf(cli, url),
    accessToken: await accessToken(cli, profile),
    userId: globals.userId ?? profile?.user_id,
  };
}

function isLocal({ globals, io }: CommandContext): boolean {
  if (globals.db !== undefined || globals.data !== undefined) return true;
  return !io.env.GATEWAY_URL && LOCAL_VARIABLES.some((name) => io.env[name]);
}

async function profileOf(
  cli: CommandContext,
  url: string | undefined,
): Promise<Profile | undefined> {
  const { globals, io } = cli;
  if (url === undefined && globals.profile === undefined && isLocal(cli)) return undefined;
  const file = await readProfiles(io.env);
  const name = globals.profile ?? file.current;
  if (name === undefined) return undefined;
  if (url === undefined) return profileNamed(file, name);
  // A token must never be sent to another server.
  const profile = file.profiles[name];
  return globals.profile !== undefined && profile?.url === url ? profile : undefined;
}

async function accessToken(cli: CommandContext, profile: Profile | undefined): Promise<string> {
  const { globals, io } = cli;
  if (globals.accessTokenStdin) return withoutLastLineBreak(await io.readStdin());
  if (globals.accessToken !== undefined) return globals.accessToken;
  const { GATEWAY_ACCESS_TOKEN } = io.env;
  // A keyring may prompt the user, so it is opened only if its token is used.
  if (globals.profile === undefined && GATEWAY_ACCESS_TOKEN !== undefined)
    return GATEWAY_ACCESS_TOKEN;
  return (await storedToken(cli, profile)) ?? GATEWAY_ACCESS_TOKEN ?? '';
}

/** @throws AppError if not a plain URL: a token in it would end up in logs and histories. */
export function addressOf(cli: CommandContext, text: string): string {
  const url = parsedUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw cli.values.refuse('--url', 'url');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw cli.values.refuse('--url', 'url_secret');
  return (url.origin + url.pathname).replace(/\/+$/u, '');
}

/** @throws AppError `not_remote` for a command that only works locally. */
export async function requireLocal(cli: CommandContext, name: string): Promise<void> {
  if ((await cli.server()) !== undefined) throw new AppError('not_remote', { command: name });
}
