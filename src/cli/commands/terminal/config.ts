/** `gateway config`: manages named server profiles. */
import { definedFields } from '../../../domain/defined-fields.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import type { Profile, ProfileFile } from '../../servers/profile-file.ts';
import { deleteStoredToken, storeToken } from '../../servers/profile-token.ts';
import {
  PROFILE_KEYS,
  profileNamed,
  profilePath,
  readProfiles,
  writeProfiles,
} from '../../servers/profiles.ts';

const VIEW: View = { columns: ['name', 'current', 'url', 'access_token'], id: 'name' };

/** Shows only enough of a token to recognize it. */
function shown(name: string, profile: Profile, current: string | undefined) {
  const token = profile.access_token ?? '';
  const inKeyring = profile.keyring === undefined ? '' : '(keyring)';
  return {
    name,
    current: name === current,
    url: profile.url ?? '',
    user_id: profile.user_id ?? '',
    access_token: token === '' ? inKeyring : `${token.slice(0, 4)}…`,
  };
}

const list = command({
  usage: 'list',
  examples: ['list', 'list --json'],
  async run(cli) {
    const { current, profiles } = await readProfiles(cli.io.env);
    const rows = Object.entries(profiles).map(([name, one]) => shown(name, one, current));
    await cli.print(rows, VIEW);
  },
});

const get = command({
  usage: 'get <name>',
  examples: ['get prod'],
  async run(cli, { name }) {
    const file = await readProfiles(cli.io.env);
    await cli.print(shown(name, profileNamed(file, name), file.current), { ...VIEW, brief: true });
  },
});

const set = command({
  usage: 'set <name> <key> <value>',
  flags: ['--no-keyring'],
  examples: ['set prod url https://gateway.example', 'set prod access_token - < token.txt'],
  async run(cli, { name, key, value, keyring = true }) {
    const field = cli.values.choice('<key>', key, PROFILE_KEYS);
    // All users of the machine can read command-line arguments, so a token must come from stdin.
    if (field === 'access_token' && value !== '-') throw cli.values.refuse('<value>', 'stdin');
    const text = value === '-' ? (await cli.io.readStdin()).trim() : value;
    await save(cli, name, 'changed', async ({ current, profiles }) => {
      const { [name]: { access_token, keyring: entry, ...rest } = {} } = profiles;
      const kept =
        field === 'access_token'
          ? await storeToken(cli, name, profiles[name], { token: text, mayUseKeyring: keyring })
          : { access_token, keyring: entry, [field]: text };
      return {
        current: current ?? name,
        profiles: { ...profiles, [name]: { ...rest, ...definedFields(kept) } },
      };
    });
  },
});

const use = command({
  usage: 'use <name>',
  examples: ['use prod'],
  async run(cli, { name }) {
    profileNamed(await readProfiles(cli.io.env), name);
    await save(cli, name, 'changed', (file) => ({ ...file, current: name }));
  },
});

const rename = command({
  usage: 'rename <name> <to>',
  examples: ['rename prod live'],
  async run(cli, { name, to }) {
    const file = await readProfiles(cli.io.env);
    const profile = profileNamed(file, name);
    if (to in file.profiles) throw cli.values.refuse('<to>', 'taken');
    const { [name]: _, ...others } = file.profiles;
    const current = file.current === name ? to : file.current;
    await save(cli, to, 'changed', () => ({
      ...(current !== undefined && { current }),
      profiles: { ...others, [to]: profile },
    }));
  },
});

const remove = command({
  usage: 'delete <name>',
  examples: ['delete prod'],
  async run(cli, { name }) {
    const file = await readProfiles(cli.io.env);
    profileNamed(file, name);
    const { [name]: _, ...profiles } = file.profiles;
    const { current } = file;
    await save(cli, name, 'deleted', async () => {
      await deleteStoredToken(cli, file.profiles[name]);
      return { ...(current !== undefined && current !== name && { current }), profiles };
    });
  },
});

const path = command({
  usage: 'path',
  examples: ['path'],
  async run(cli) {
    cli.io.out(`${profilePath(cli.io.env)}\n`);
  },
});

async function save(
  cli: Cli,
  name: string,
  verb: 'changed' | 'deleted',
  next: (file: ProfileFile) => ProfileFile | Promise<ProfileFile>,
): Promise<void> {
  if (cli.globals.dryRun) {
    const action = verb === 'deleted' ? 'delete' : 'update';
    return cli.showPlan({ action, noun: 'profile', name }, undefined);
  }
  await writeProfiles(cli.io.env, await next(await readProfiles(cli.io.env)));
  await cli.done('profile', name, verb);
}

export const config: Noun = {
  name: 'config',
  verbs: [list, get, set, use, rename, remove, path],
};
