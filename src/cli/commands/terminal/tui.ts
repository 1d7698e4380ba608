/** `gateway tui`: opens the live terminal dashboard. */
import { AppError } from '../../../domain/errors/errors.ts';
import type { TuiSite } from '../../../tui/open.tsx';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { readProfiles } from '../../servers/profiles.ts';
import { serverAddressOf } from '../../servers/server-address.ts';
import { embeddedCommands } from './embedded-commands.ts';

/** Duplicated here, because importing the screens' own list would load Ink at every start. */
const SCREENS = ['dashboard', 'channels', 'tokens', 'users', 'logs', 'codes', 'options'] as const;

const run = command({
  usage: 'tui',
  flags: ['--screen <name>', '--once', '--read-only', '--ascii', '--screen-reader'],
  examples: ['tui', 'tui --screen logs --read-only', 'tui --once --screen channels'],
  ownsSignal: true,
  ownsTimeout: true,
  async run(cli, { once = false, readOnly = false, ascii = false, ...flags }) {
    const screen = cli.values.choice('--screen', flags.screen ?? 'dashboard', SCREENS);
    // Ink's own variable, which users set for all Ink programs.
    const screenReader = flags.screenReader ?? cli.io.env.INK_SCREEN_READER === 'true';
    if (!once) requireTerminal(cli);
    // Request logs on stderr would corrupt the display.
    cli.globals = { ...cli.globals, verbose: false, debug: false };
    const { openTui, printOnce } = await import('../../../tui/open.tsx');
    const site = await siteOf(cli);
    const look = { screen, readOnly, ascii, screenReader };
    if (once) cli.io.out(await printOnce(site, look));
    else if ((await openTui(site, look)) === 'interrupted') return EXIT.interrupted;
    return EXIT.ok;
  },
});

async function siteOf(cli: Cli): Promise<TuiSite> {
  const { io, language, globals } = cli;
  const session = await cli.session({ silent: true, asksItself: true });
  return {
    ...io,
    session,
    run: embeddedCommands({ session, server: await cli.server() }, io),
    profile: globals.profile ?? (await readProfiles(io.env)).current,
    language,
    address: () => serverAddressOf(cli),
  };
}

/** In a pipe or a build the dashboard would run forever unseen. */
function requireTerminal({ io }: Cli): void {
  if (!io.isTTY || !io.canAsk || io.env.CI || io.env.TERM === 'dumb')
    throw new AppError('tui_needs_terminal');
}

export const tui: Noun = { name: 'tui', verbs: [run] };
