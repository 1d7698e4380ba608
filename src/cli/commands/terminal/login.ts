/** `gateway login`, `logout`, `whoami`: manage the access token stored for a server. */
import { AppError } from '../../../domain/errors/errors.ts';
import { roleWord } from '../../../domain/roles.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import type { Profile } from '../../servers/profile-file.ts';
import { deleteStoredToken, storedToken, storeToken } from '../../servers/profile-token.ts';
import { readProfiles, writeProfiles } from '../../servers/profiles.ts';
import { addressOf } from '../../servers/select-server.ts';

const WHO: View = {
  columns: ['profile', 'url', 'id', 'username', 'role', 'group', 'quota'],
  id: 'username',
  brief: true,
};

const loginRun = command({
  usage: 'login',
  flags: ['--username <name>', '--password-stdin', '--no-keyring'],
  examples: [
    'login --url https://gateway.example --username root',
    'login --url https://gateway.example --username root --password-stdin --profile prod < password.txt',
  ],
  async run(cli, { username, passwordStdin, keyring = true }) {
    const url = await urlOf(cli);
    const name =
      username ?? (await cli.ask(cli.t('cli.ask.username'), '--username', { proposed: 'root' }));
    const source = passwordStdin === undefined ? {} : { stdin: passwordStdin };
    const what = cli.t('cli.ask.password');
    const password = (await cli.secret(what, source, '--password-stdin', 'ask')) ?? '';
    const profile = cli.globals.profile ?? new URL(url).host;
    // Signing in creates a new access token, which invalidates the previous one.
    if (cli.globals.dryRun)
      return cli.showPlan({ action: 'update', noun: 'profile', name: profile }, { url });
    const { signIn } = await import('../../servers/access-token-login.ts');
    const { user, token } = await signIn(cli, url, { username: name, password });
    const { username: signedIn } = user;
    cli.note(cli.t('cli.notes.signed_in', { username: signedIn, url, profile }));
    await keep(cli, profile, { url, token, mayUseKeyring: keyring });
    if (cli.format() !== 'table') await cli.print({ profile, url, username: signedIn }, WHO);
  },
});

/** The profile may not exist yet, and the token of an existing one must not be read for this. */
async function urlOf(cli: Cli): Promise<string> {
  const { url, profile } = cli.globals;
  const { current, profiles } = await readProfiles(cli.io.env);
  const kept = profiles[profile ?? current ?? '']?.url;
  const { GATEWAY_URL } = cli.io.env;
  const given = url ?? (profile === undefined ? (GATEWAY_URL ?? kept) : (kept ?? GATEWAY_URL));
  if (!given) throw cli.values.refuse('--url', 'url');
  return addressOf(cli, given);
}

async function keep(
  cli: Cli,
  name: string,
  { url, ...kept }: { url: string; token: string; mayUseKeyring: boolean },
): Promise<void> {
  const { profiles } = await readProfiles(cli.io.env);
  const profile = { url, ...(await storeToken(cli, name, profiles[name], kept)) };
  await writeProfiles(cli.io.env, { current: name, profiles: { ...profiles, [name]: profile } });
}

const logoutRun = command({
  usage: 'logout',
  examples: ['logout', 'logout --profile prod'],
  async run(cli) {
    const { env } = cli.io;
    const file = await readProfiles(env);
    const name = cli.globals.profile ?? file.current;
    const profile = name === undefined ? undefined : file.profiles[name];
    if (name === undefined || profile === undefined)
      throw new AppError('profile_missing', { profile: name ?? '' });
    if (cli.globals.dryRun) return cli.showPlan({ action: 'update', noun: 'profile', name }, {});
    await ended(cli, profile);
    await deleteStoredToken(cli, profile);
    const { access_token: _, keyring: __, ...rest } = profile;
    await writeProfiles(env, { ...file, profiles: { ...file.profiles, [name]: rest } });
    cli.note(cli.t('cli.notes.signed_out', { profile: name }));
    if (cli.format() !== 'table') await cli.print({ profile: name, url: profile.url ?? '' }, WHO);
  },
});

/** Ends exactly the profile's token, ignoring the environment. */
async function ended(cli: Cli, profile: Profile): Promise<void> {
  const { url } = profile;
  // An unavailable keyring must not prevent the sign-out.
  const accessToken = await storedToken(cli, profile).catch(() => undefined);
  if (!url || !accessToken) return;
  const { endToken } = await import('../../servers/access-token-login.ts');
  await endToken(cli, { url, accessToken });
}

const whoamiRun = command({
  usage: 'whoami',
  examples: ['whoami', 'whoami --json'],
  async run(cli) {
    const server = await cli.server();
    if (server === undefined) {
      const { location } = await cli.session();
      return cli.print({ profile: '', url: location, username: 'operator', role: 'operator' }, WHO);
    }
    const { id, username, role, group, quota } = await (await cli.api()).account.self({});
    const profile = cli.globals.profile ?? (await readProfiles(cli.io.env)).current ?? '';
    const shown = { profile, url: server.url, id, username, role: roleWord(role), group, quota };
    return cli.print(shown, WHO);
  },
});

export const login: Noun = { name: 'login', verbs: [loginRun] };
export const logout: Noun = { name: 'logout', verbs: [logoutRun] };
export const whoami: Noun = { name: 'whoami', verbs: [whoamiRun] };
