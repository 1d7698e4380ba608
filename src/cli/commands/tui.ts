/** `gateway tui`: the site in a terminal, live. */
import { AppError } from '../../domain/errors/errors.ts';
import type { TuiSite } from '../../tui/open.tsx';
import { addressOf } from '../address.ts';
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { readProfiles } from '../profiles.ts';

/** Named again, as the screens' own list would load Ink at every start. */
const SCREENS = ['dashboard', 'channels', 'tokens', 'users', 'logs', 'codes', 'options'] as const;

const run = command({
  usage: 'tui',
  alias: 'top',
  flags: ['--screen <name>', '--once', '--read-only', '--ascii', '--screen-reader'],
  examples: ['tui', 'tui --screen logs --read-only', 'tui --once --screen channels'],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { once = false, readOnly = false, ascii = false, ...flags }) {
    const screen = cli.values.choice('--screen', flags.screen ?? 'dashboard', SCREENS);
    // The variable is Ink's own: who sets it means every program of its kind.
    const screenReader = flags.screenReader ?? cli.io.env.INK_SCREEN_READER === 'true';
    if (!once) requireTerminal(cli);
    // Request lines on stderr would be drawn over.
    cli.globals = { ...cli.globals, verbose: false, debug: false };
    const { openTui, printOnce } = await import('../../tui/open.tsx');
    const site = await siteOf(cli);
    const look = { screen, readOnly, ascii, screenReader };
    if (once) cli.io.out(await printOnce(site, look));
    else if ((await openTui(site, look)) === 'interrupted') return EXIT.interrupted;
    return EXIT.ok;
  },
});

async function siteOf(cli: Cli): Promise<TuiSite> {
  const { io, language, globals } = cli;
  const { width, color, isTTY, env, signal, edit } = io;
  return {
    session: await cli.session({ silent: true }),
    profile: globals.profile ?? (await readProfiles(env)).current,
    language,
    address: () => addressOf(cli),
    width,
    color,
    isTTY,
    env,
    signal,
    edit,
  };
}

/** A frame that nobody sees would run for ever in a pipe or a build. */
function requireTerminal({ io }: Cli): void {
  if (!io.isTTY || !io.canAsk || io.env.CI || io.env.TERM === 'dumb')
    throw new AppError('tui_needs_terminal');
}

export const tui: Noun = { name: 'tui', verbs: [run] };
