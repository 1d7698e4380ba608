/**
 * All terminal input and output of commands, so that tests can substitute it. Data goes to `out`,
 * messages for people to `err`.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Keyring } from './keyring.ts';
import { OutputSink } from './output-sink.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Abort reason of `signal` when stdout cannot be written any more. */
export const OUTPUT_LOST = 'output lost';

export interface TextQuestion {
  /** Shown as a hint and taken if nothing is typed. */
  readonly proposed?: string | undefined;
  /** The problem with an answer, after which the question stays open. */
  readonly problemOf?: ((answer: string) => string | undefined) | undefined;
}

export interface PromptChoice {
  readonly value: string;
  readonly label?: string;
}

export interface ChoiceList {
  readonly choices: readonly PromptChoice[];
  readonly initial?: string | undefined;
  /** Said when what was typed matches no choice, after which the question stays open. */
  readonly noMatch: string;
}

export interface FailedWrite {
  readonly target: 'stdout' | 'stderr';
  readonly error: NodeJS.ErrnoException;
}

export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** The first failed write, once all writes have completed. */
  lostOutput(): Promise<FailedWrite | undefined>;
  /** stdout is a terminal: print tables for people. */
  readonly isTTY: boolean;
  /** stderr is a terminal: a progress bar can be redrawn. */
  readonly errIsTTY: boolean;
  /** stdin and stderr are terminals: prompts are possible. */
  readonly canAsk: boolean;
  /** Width of the terminal in columns. */
  readonly width: number;
  readonly color: boolean;
  readonly env: Environment;
  /** Aborted by the first SIGINT or SIGTERM (or SIGHUP, see below) with its name as reason, or with `OUTPUT_LOST`. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
  /** Returns `undefined` when the user cancelled. */
  ask(text: string, question?: TextQuestion): Promise<string | undefined>;
  askSecret(text: string, question?: TextQuestion): Promise<string | undefined>;
  confirm(question: string): Promise<boolean>;
  /** One of `choices`, which typing filters; `undefined` when the user cancelled. */
  choose(question: string, list: ChoiceList): Promise<string | undefined>;
  /** From now on a closed terminal aborts `signal`, instead of ending the process at once. */
  outliveTerminal(): void;
  /** Opens the user's editor on `text` and returns what was saved. */
  edit(text: string, extension: string): Promise<string>;
  /** Undefined if this machine has none. */
  keyring(): Promise<Keyring | undefined>;
}

/** The process's own terminal. Checks `--no-color` itself: colour is needed before parsing. */
export function processIo(argv: readonly string[]): Io {
  // biome-ignore lint/style/noProcessEnv: the only place where the CLI reads the environment.
  const env = process.env;
  const { stdin, stdout, stderr } = process;
  const isTTY = stdout.isTTY === true;
  const controller = new AbortController();
  watchSignals(controller);
  const out = new OutputSink(stdout, () => controller.abort(OUTPUT_LOST));
  const err = new OutputSink(stderr, () => undefined);
  return {
    out: (text) => out.write(text),
    err: (text) => err.write(text),
    lostOutput: () => lostOutput(out, err),
    isTTY,
    errIsTTY: stderr.isTTY === true && env.TERM !== 'dumb',
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    width: stdout.columns ?? 80,
    color: isTTY && wantsColor(argv, env),
    env,
    signal: controller.signal,
    readStdin: () => readAll(stdin),
    ask: async (message, { proposed = '', problemOf } = {}) => {
      const { text, isCancel } = await import('@clack/prompts');
      const answer = await text({
        message,
        output: stderr,
        placeholder: proposed,
        defaultValue: proposed,
        validate: (typed) => problemOf?.(typed || proposed),
      });
      return isCancel(answer) ? undefined : answer;
    },
    askSecret: async (message, { problemOf } = {}) => {
      const { password, isCancel } = await import('@clack/prompts');
      const answer = await password({
        message,
        output: stderr,
        validate: (typed) => problemOf?.(typed ?? ''),
      });
      return isCancel(answer) ? undefined : answer;
    },
    confirm: async (message) => {
      const { confirm } = await import('@clack/prompts');
      return (await confirm({ message, output: stderr, initialValue: false })) === true;
    },
    choose: async (message, { choices, initial, noMatch }) => {
      const { autocomplete, isCancel } = await import('@clack/prompts');
      const answer = await autocomplete({
        message,
        output: stderr,
        maxItems: 12,
        options: [...choices],
        validate: (chosen) => (chosen === undefined ? noMatch : undefined),
        ...(initial !== undefined && { initialValue: initial }),
      });
      return isCancel(answer) ? undefined : answer;
    },
    // Only on request: a handler would also end programs that nohup started.
    outliveTerminal: () => process.on('SIGHUP', () => controller.abort('SIGHUP')),
    edit: (text, extension) => editInEditor(text, extension, env.VISUAL || env.EDITOR || 'vi'),
    keyring: async () => (await import('./keyring.ts')).systemKeyring(),
  };
}

/** A closed stderr loses no data, so only its other errors count. */
async function lostOutput(out: OutputSink, err: OutputSink): Promise<FailedWrite | undefined> {
  const [outError, errError] = await Promise.all([out.flushed(), err.flushed()]);
  if (outError !== undefined) return { target: 'stdout', error: outError };
  if (errError === undefined || errError.code === 'EPIPE') return undefined;
  return { target: 'stderr', error: errError };
}

/** NO_COLOR as defined by no-color.org: any non-empty value. */
function wantsColor(argv: readonly string[], env: Environment): boolean {
  return !argv.includes('--no-color') && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** The first signal requests a clean end; the second terminates immediately, as by default. */
function watchSignals(controller: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(signal));
  }
}

async function editInEditor(text: string, extension: string, editor: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-edit-'));
  const file = path.join(folder, `value.${extension}`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    await waitFor(editor, file);
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `editor` may include arguments, e.g. `code --wait`, so it is run by a shell. */
function waitFor(editor: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the editor ended with code ${code}`)),
    );
  });
}
