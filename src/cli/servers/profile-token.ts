/**
 * Stores the access token of a profile: in the system's keyring if available, otherwise in the
 * profiles file. The file stores the keyring entry's name, so that a renamed profile keeps its
 * token.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors/errors.ts';
import type { CommandContext } from '../command-context.ts';
import type { Keyring } from '../process/keyring.ts';
import type { Profile } from './profile-file.ts';
import { profilePath } from './profiles.ts';

type KeptToken = Pick<Profile, 'access_token' | 'keyring'>;

/** Returns the profile fields that locate the token; deletes the profile's previous token. */
export async function storeToken(
  cli: CommandContext,
  name: string,
  before: Profile | undefined,
  { token, mayUseKeyring }: { readonly token: string; readonly mayUseKeyring: boolean },
): Promise<KeptToken> {
  const keyring = mayUseKeyring ? await openKeyring(cli) : undefined;
  const account = `${name} ${randomUUID()}`;
  const isKept = keyring !== undefined && (await isWritten(keyring, account, token));
  await deleteStoredToken(cli, before);
  const where = { path: profilePath(cli.io.env) };
  cli.note(cli.t(isKept ? 'cli.notes.token_in_keyring' : 'cli.notes.token_in_file', where));
  return isKept ? { keyring: account } : { access_token: token };
}

/** A keyring that is locked and cannot be unlocked here counts as unavailable. */
async function isWritten(keyring: Keyring, account: string, token: string): Promise<boolean> {
  try {
    await keyring.write(account, token);
    return (await keyring.read(account)) === token;
  } catch {
    return false;
  }
}

/** @throws AppError `keyring_closed` when the keyring cannot be opened or has lost the token. */
export async function storedToken(
  cli: CommandContext,
  profile: Profile | undefined,
): Promise<string | undefined> {
  if (profile?.keyring === undefined) return profile?.access_token;
  const keyring = await openKeyring(cli);
  const token = await keyring?.read(profile.keyring).catch(() => undefined);
  if (token === undefined) throw new AppError('keyring_closed', { entry: profile.keyring });
  return token;
}

/** Ignores errors: a command cannot fix a failing keyring. */
export async function deleteStoredToken(
  cli: CommandContext,
  profile: Profile | undefined,
): Promise<void> {
  if (profile?.keyring === undefined) return;
  const keyring = await openKeyring(cli);
  await keyring?.remove(profile.keyring).catch(() => undefined);
}

async function openKeyring({ io }: CommandContext): Promise<Keyring | undefined> {
  return io.env.GATEWAY_KEYRING === 'off' ? undefined : io.keyring();
}
