/** `gateway setup`: initial set-up. Creates the database, the root account and the site's mode. */
import { AppError } from '../../../domain/errors/errors.ts';
import { LANGUAGES, type Language } from '../../../domain/languages.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { askedPassword, askedUsername } from '../accounts/asked-account.ts';

const MODES = ['external', 'self', 'demo'] as const;

const run = command({
  usage: 'setup',
  flags: [
    '--username <name>',
    '--password-stdin',
    '--mode <mode>',
    '--language <language>',
    '--code <code>',
    '--if-needed',
  ],
  examples: ['setup', 'setup --if-needed --username root --password-stdin < password.txt'],
  async run(cli, { mode: word, language: named, code, ifNeeded, ...flags }) {
    const mode = cli.values.choice('--mode', word ?? 'external', MODES);
    const state = cli.globals.dryRun ? undefined : await stateOf(cli);
    if (state?.status) {
      if (ifNeeded) return cli.note(cli.t('cli.notes.set_up_already'));
      throw new AppError('already_set_up');
    }
    const username = flags.username ?? (await askedUsername(cli, 'root'));
    const password = await askedPassword(cli, flags.passwordStdin);
    const language = await siteLanguage(cli, named);
    const input = {
      username,
      password,
      confirmPassword: password,
      SelfUseModeEnabled: mode === 'self',
      DemoSiteEnabled: mode === 'demo',
      ...(language !== undefined && { DefaultLanguage: language }),
      ...(state?.code_needed && {
        code: code ?? (await cli.ask(cli.t('cli.ask.setup_code'), '--code')),
      }),
    };
    if (cli.globals.dryRun) return printDryRun(cli, input, { username, mode });
    await (await cli.api()).setup.run(input);
    cli.note(cli.t('cli.notes.set_up', { username }));
    await cli.print({ username, mode }, { columns: ['username', 'mode'], id: 'username' });
  },
});

async function stateOf(cli: Cli) {
  const { api } = await cli.session({ migrate: true });
  return api.setup.state({});
}

/** A dry run must not create the database that a new machine lacks: it only checks the input. */
async function printDryRun(
  cli: Cli,
  input: Parameters<LocalApi['setup']['run']>[0],
  shown: { readonly username: string; readonly mode: string },
): Promise<void> {
  const { parseInput } = await import('../../../api/local.ts');
  const { setupCalls } = await import('../../../api/site/setup.ts');
  parseInput(setupCalls.run, input);
  cli.showPlan({ action: 'create', noun: 'user', name: shown.username }, shown);
}

/** Proposes the operator's own. Undefined, which keeps the default, if nothing can be asked. */
async function siteLanguage(cli: Cli, named: string | undefined): Promise<Language | undefined> {
  if (named === undefined && !cli.mayAsk()) return undefined;
  if (named !== undefined) return cli.values.choice('--language', named, LANGUAGES);
  const choices = LANGUAGES.map((value) => ({ value, label: nameOf(value) }));
  const chosen = await cli.choose(cli.t('cli.ask.language'), '--language', choices, cli.language);
  return cli.values.choice('--language', chosen, LANGUAGES);
}

/** The language's own name. */
function nameOf(language: Language): string {
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
}

export const setup: Noun = { name: 'setup', verbs: [run] };
