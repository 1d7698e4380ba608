/** `gateway tui` from its flags to its end. Loaded when the command runs, as Ink is heavy. */
import { Chalk } from 'chalk';
import { renderToString } from 'ink';
import { addressOf } from '../cli/address.ts';
import type { Cli } from '../cli/cli.ts';
import { EXIT, type ExitCode } from '../cli/exit-codes.ts';
import { readProfiles } from '../cli/profiles.ts';
import { ROLES } from '../domain/roles.ts';
import { translator } from '../locales/text.ts';
import { Values } from '../session/values.ts';
import { Frame } from './app.tsx';
import type { Doors } from './doors.ts';
import { drawnFace, spokenFace } from './faces.tsx';
import { asAscii, type Palette } from './model/paint.ts';
import type { Site } from './model/state.ts';
import { openUrl, writeNewFile } from './outside.ts';
import { Runtime } from './runtime.ts';
import type { ScreenName } from './screens/screen.ts';
import { Narrator } from './speech/narrator.ts';
import { stopProcess } from './terminal.ts';

const DEFAULT_ROWS = 24;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Look {
  readonly screen: ScreenName;
  readonly readOnly: boolean;
  readonly ascii: boolean;
  /** Told as lines of text instead of drawn. */
  readonly screenReader: boolean;
}

/** Figures that are told every two seconds leave nobody time to listen. */
const SPOKEN_REST_MS = 10_000;

/** One frame as plain lines on stdout. */
export async function printOnce(cli: Cli, look: Look): Promise<void> {
  const rows = process.stdout.rows ?? DEFAULT_ROWS;
  const refused = () => Promise.reject(new Error('a printed frame asks for nothing'));
  const doors = await doorsOf(cli, {
    write: () => undefined,
    edit: refused,
    suspend: () => undefined,
    quit: () => undefined,
  });
  const runtime = new Runtime(doors, { ...look, columns: cli.io.width, rows });
  await runtime.poller.readOnce();
  if (look.screenReader) {
    const text = new Narrator(runtime).next();
    return cli.io.out(look.ascii ? asAscii(text) : text);
  }
  const palette = { ...paletteOf(cli, look), plain: !cli.io.isTTY };
  const frame = renderToString(<Frame runtime={runtime} palette={palette} />, {
    columns: cli.io.width,
  });
  cli.io.out(`${frame.trimEnd()}\n`);
}

/** Until the person leaves; gives the exit status. */
export async function openTui(cli: Cli, look: Look): Promise<ExitCode> {
  const { stdin, stdout } = process;
  const { promise: ended, resolve: end, reject: fail } = promiseOf<ExitCode>();
  const pause = () => {
    stdin.setRawMode(false);
    stdin.pause();
    face.leave();
  };
  const resume = () => {
    face.enter();
    stdin.setRawMode(true);
    stdin.resume();
    runtime.set(sizeOf(stdout));
  };
  const suspend = () => {
    pause();
    process.off('SIGTSTP', suspend);
    stopProcess(() => {
      process.on('SIGTSTP', suspend);
      resume();
    });
  };
  const doors = await doorsOf(cli, {
    write: (text) => void stdout.write(text),
    suspend,
    quit: end,
    async edit(text, extension) {
      pause();
      try {
        return await cli.io.edit(text, extension);
      } finally {
        resume();
      }
    },
  });
  const runtime = new Runtime(doors, { ...look, ...sizeOf(stdout), restMs: restMs(look) });
  const resized = () => {
    face.resized();
    runtime.set(sizeOf(stdout));
  };
  const { signal } = cli.io;
  const interrupted = () => end(EXIT.interrupted);
  stdout.on('resize', resized);
  process.on('SIGTSTP', suspend);
  signal.addEventListener('abort', interrupted, { once: true });
  // Ink ends the process by a signal that nobody else waits for, before the terminal is restored.
  for (const name of ENDING) process.on(name, interrupted);
  if (signal.aborted) interrupted();
  const palette = paletteOf(cli, look);
  const face = look.screenReader
    ? spokenFace(runtime, process, palette)
    : drawnFace(runtime, stdout, palette, fail);
  try {
    runtime.start();
    return await ended;
  } finally {
    runtime.stop();
    face.close();
    stdout.off('resize', resized);
    process.off('SIGTSTP', suspend);
    signal.removeEventListener('abort', interrupted);
    for (const name of ENDING) process.off(name, interrupted);
  }
}

function restMs({ screenReader }: Look): number {
  return screenReader ? SPOKEN_REST_MS : 0;
}

function sizeOf({ columns = 80, rows = DEFAULT_ROWS }: NodeJS.WriteStream) {
  return { columns, rows };
}

function paletteOf({ io }: Cli, { ascii }: Look): Palette {
  return { paint: new Chalk({ level: io.color ? 1 : 0 }), ascii };
}

async function doorsOf(
  cli: Cli,
  screen: Pick<Doors, 'write' | 'edit' | 'suspend' | 'quit'>,
): Promise<Doors> {
  const session = await cli.session({ silent: true });
  const isOperator = session.ctx !== undefined;
  return {
    session,
    site: await siteOf(cli, session.location, isOperator),
    isOperator,
    language: cli.language,
    nowMs: () => Date.now(),
    valuesFor: (language) => new Values(translator(language)),
    openUrl: (url) => openUrl(url, cli.io.env),
    address: () => addressOf(cli),
    writeFile: (path, text) => writeNewFile(path, text, cli.values),
    ...screen,
  };
}

/** @throws AppError when nobody is signed in there. */
async function siteOf(cli: Cli, location: string, isOperator: boolean): Promise<Site> {
  const api = await cli.api();
  const { version } = await api.status.get({});
  if (isOperator)
    return { profile: 'local', location, version, role: ROLES.super_admin, username: '' };
  const { role, username } = await api.account.self({});
  const named = cli.globals.profile ?? (await readProfiles(cli.io.env)).current;
  return { profile: named ?? 'remote', location, version, role, username };
}

function promiseOf<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
