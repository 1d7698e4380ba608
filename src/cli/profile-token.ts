/**
 * Where the access token of a profile is kept: in the system's keyring where there is one, else in the
 * file of the profiles. The file names the keyring's entry, so that a renamed profile keeps its token.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../domain/errors/errors.ts';
import type { CommandContext } from './command-context.ts';
import type { Keyring } from './keyring.ts';
import type { Profile } from './profile.ts';
import { profilePath } from './profiles.ts';

type KeptToken = Pick<Profile, 'access_token' | 'keyring'>;

/** The fields of the profile that say where; then the token that it had before is forgotten. */
export async function keepToken(
  cli: CommandContext,
  name: string,
  before: Profile | undefined,
  { token, mayUseKeyring }: { readonly token: string; readonly mayUseKeyring: boolean },
): Promise<KeptToken> {
  const keyring = mayUseKeyring ? await openKeyring(cli) : undefined;
  const account = `${name} ${randomUUID()}`;
  const isKept = keyring !== undefined && (await isWritten(keyring, account, token));
  await dropToken(cli, before);
  const where = { path: profilePath(cli.io.env) };
  cli.say(cli.t(isKept ? 'cli.say.token_in_keyring' : 'cli.say.token_in_file', where));
  return isKept ? { keyring: account } : { access_token: token };
}

/** A keyring that is locked, and that nobody can unlock here, is as good as none. */
async function isWritten(keyring: Keyring, account: string, token: string): Promise<boolean> {
  try {
    await keyring.write(account, token);
    return (await keyring.read(account)) === token;
  } catch {
    return false;
  }
}

/** @throws AppError `keyring_closed` where it is in a keyring that does not open or has lost it. */
export async function tokenOf(
  cli: CommandContext,
  profile: Profile | undefined,
): Promise<string | undefined> {
  if (profile?.keyring === undefined) return profile?.access_token;
  const keyring = await openKeyring(cli);
  const token = await keyring?.read(profile.keyring).catch(() => undefined);
  if (token === undefined) throw new AppError('keyring_closed', { entry: profile.keyring });
  return token;
}

/** What cannot be forgotten is nothing that a command could help. */
export async function dropToken(cli: CommandContext, profile: Profile | undefined): Promise<void> {
  if (profile?.keyring === undefined) return;
  const keyring = await openKeyring(cli);
  await keyring?.remove(profile.keyring).catch(() => undefined);
}

async function openKeyring({ io }: CommandContext): Promise<Keyring | undefined> {
  return io.env.GATEWAY_KEYRING === 'off' ? undefined : io.keyring();
}
