/** `gateway setup`: the first run. Creates the database, the root account and the mode of the site. */
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';

const MODES = ['external', 'self', 'demo'] as const;

const run = command({
  usage: 'setup',
  flags: ['--username <name>', '--password-stdin', '--mode <mode>', '--if-needed'],
  examples: ['setup', 'setup --if-needed --username root --password-stdin < password.txt'],
  async run(cli, { mode: word, ifNeeded, ...flags }) {
    const mode = cli.values.choice('--mode', word ?? 'external', MODES);
    const { api } = await cli.session({ migrate: true });
    if (ifNeeded && (await api.setup.state({})).status)
      return cli.say(cli.t('cli.say.set_up_already'));
    const { username, password } = await account(cli, flags);
    const input = {
      username,
      password,
      confirmPassword: password,
      SelfUseModeEnabled: mode === 'self',
      DemoSiteEnabled: mode === 'demo',
    };
    const change = { action: 'create', noun: 'user', name: username } as const;
    await cli.change(change, (api) => api.setup.run(input));
    if (cli.globals.dryRun) return;
    cli.say(cli.t('cli.say.set_up', { username }));
    await cli.print({ username, mode }, { columns: ['username', 'mode'], id: 'username' });
  },
});

interface AccountFlags {
  readonly username?: string;
  readonly passwordStdin?: boolean;
}

async function account(cli: Cli, { username, passwordStdin }: AccountFlags) {
  const what = cli.t('cli.ask.username');
  const name = username ?? (await cli.ask(what, '--username', 'root'));
  const source = passwordStdin === undefined ? {} : { stdin: passwordStdin };
  const password = await cli.secret(
    cli.t('cli.ask.password'),
    source,
    '--password-stdin',
    'ask twice',
  );
  return { username: name, password: password ?? '' };
}

export const setup: Noun = { name: 'setup', verbs: [run] };
