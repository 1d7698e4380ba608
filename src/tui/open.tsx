/** Runs `gateway tui`. Loaded by the command on demand, because Ink is large. */
import { stripVTControlCharacters } from 'node:util';
import chalk from 'chalk';
import { ROLES } from '../domain/roles.ts';
import { type Language, translator } from '../locales/text.ts';
import type { Session } from '../session/session.ts';
import { Values } from '../session/values.ts';
import type { Site } from './model/state.ts';
import type { DashboardPorts, ExitReason, RunCommand } from './ports.ts';
import { frameText, type Look, openView } from './render.tsx';
import { Runtime } from './runtime.ts';
import type { ScreenName } from './screens/screen.ts';
import { openUrl, type TuiEnvironment, writeNewFile } from './system.ts';
import { stopProcess } from './terminal.ts';

const DEFAULT_ROWS = 24;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The gateway and the terminal that displays it. */
export interface TuiSite {
  readonly session: Session;
  readonly run: RunCommand;
  /** The profile in use; undefined if there is none. */
  readonly profile: string | undefined;
  readonly language: Language;
  /** URL at which this machine reaches the gateway. */
  address(): Promise<string>;
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly color: boolean;
  /** Standard output is a terminal. */
  readonly isTTY: boolean;
  readonly env: TuiEnvironment;
  /** Aborted when the process should stop. */
  readonly signal: AbortSignal;
  edit(text: string, extension: string): Promise<string>;
}

export interface ViewOptions extends Look {
  readonly screen: ScreenName;
  readonly readOnly: boolean;
}

/** The two-second interval of the fastest screens is too short for a screen reader. */
const LINEAR_EVERY_MS = 10_000;

/** Prints one frame as plain lines. */
export async function printOnce(site: TuiSite, options: ViewOptions): Promise<string> {
  const rows = process.stdout.rows ?? DEFAULT_ROWS;
  const refused = () => Promise.reject(new Error('a printed frame opens no editor'));
  const nothing = () => undefined;
  const screen = { write: nothing, edit: refused, suspend: nothing, quit: nothing };
  const ports = await portsOf(site, screen);
  const runtime = new Runtime(ports, { ...options, columns: site.width, rows });
  await runtime.poller.readOnce();
  setColors(site);
  const text = frameText(runtime, options);
  return `${(site.isTTY ? text : stripVTControlCharacters(text)).trimEnd()}\n`;
}

/** Resolves when the user quits. */
export async function openTui(site: TuiSite, options: ViewOptions): Promise<ExitReason> {
  const { stdin, stdout } = process;
  let end: (reason: ExitReason) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<ExitReason>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const open = () => {
    runtime.set(sizeOf(stdout));
    return openView(runtime, { stdin, stdout, onFailure: fail }, options);
  };
  const suspend = () => {
    view.close();
    process.off('SIGTSTP', suspend);
    stopProcess(() => {
      process.on('SIGTSTP', suspend);
      view = open();
    });
  };
  const ports = await portsOf(site, {
    write: (text) => void stdout.write(text),
    suspend,
    quit: end,
    async edit(text, extension) {
      view.close();
      try {
        return await site.edit(text, extension);
      } finally {
        view = open();
      }
    },
  });
  const minEveryMs = options.screenReader ? LINEAR_EVERY_MS : 0;
  const runtime = new Runtime(ports, { ...options, ...sizeOf(stdout), minEveryMs });
  const resized = () => {
    view.redraw();
    runtime.set(sizeOf(stdout));
  };
  const { signal } = site;
  const interrupted = () => end('interrupted');
  stdout.on('resize', resized);
  process.on('SIGTSTP', suspend);
  signal.addEventListener('abort', interrupted, { once: true });
  // Without a listener, Ink ends the process before the terminal is restored.
  for (const name of ENDING) process.on(name, interrupted);
  if (signal.aborted) interrupted();
  setColors(site);
  let view = open();
  try {
    return await ended;
  } finally {
    view.close();
    stdout.off('resize', resized);
    process.off('SIGTSTP', suspend);
    signal.removeEventListener('abort', interrupted);
    for (const name of ENDING) process.off(name, interrupted);
  }
}

function sizeOf({ columns = 80, rows = DEFAULT_ROWS }: NodeJS.WriteStream) {
  return { columns, rows };
}

/** Ink uses chalk's default instance: the terminal's sixteen colours, or none. */
function setColors({ color }: TuiSite): void {
  chalk.level = color ? 1 : 0;
}

async function portsOf(
  site: TuiSite,
  screen: Pick<DashboardPorts, 'write' | 'edit' | 'suspend' | 'quit'>,
): Promise<DashboardPorts> {
  const { session, run, language, env, address } = site;
  const values = new Values(translator(language));
  return {
    session,
    run,
    site: await siteOf(site),
    isOperator: session.ctx !== undefined,
    language,
    nowMs: () => Date.now(),
    valuesFor: (language) => new Values(translator(language)),
    openUrl: (url) => openUrl(url, env),
    address,
    writeFile: (path, text) => writeNewFile(path, text, values),
    ...screen,
  };
}

/** @throws AppError when not signed in. */
async function siteOf({ session, profile }: TuiSite): Promise<Site> {
  const { api, location, ctx } = session;
  const { version } = await api.status.get({});
  if (ctx !== undefined)
    return { profile: 'local', location, version, role: ROLES.super_admin, username: '' };
  const { role, username } = await api.account.self({});
  return { profile: profile ?? 'remote', location, version, role, username };
}
