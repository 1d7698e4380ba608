/** Runs one invocation of the command line, from its arguments to its exit status. */

import { AppError } from '../domain/errors/errors.ts';
import { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { NOUNS } from './commands/all-commands.ts';
import { EarlyExit } from './process/early-exit.ts';
import { EXIT } from './process/exit-codes.ts';
import { type Io, OUTPUT_LOST } from './process/process-io.ts';
import { languageOf } from './process/terminal-language.ts';
import { writeFailure } from './process/write-failure.ts';
import { namedByFlags } from './program/flag-names.ts';
import { firstHelp } from './program/help-text.ts';
import { createProgram } from './program/program.ts';
import { isMissingVerb, isSuccessfulExit, printFailure } from './program/report-failure.ts';

/** @param argv the arguments after `gateway`. Never throws: errors are printed on stderr. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const cli = new Cli(io, languageOf(io.env));
  const exit = await exitOf(argv, cli);
  const lost = await io.lostOutput();
  if (lost === undefined) return exit;
  // A closed pipe (`| head`) prints no message, but the output was not fully delivered.
  if (lost.error.code === 'EPIPE') return exit === EXIT.ok ? EXIT.outputClosed : exit;
  const failed = await printFailure(writeFailure(lost.target, lost.error), cli, wantsJson(argv));
  return exit === EXIT.ok ? failed : exit;
}

async function exitOf(argv: readonly string[], cli: Cli): Promise<number> {
  const { io } = cli;
  if (argv.length === 0) {
    io.out(firstHelp(cli));
    return EXIT.ok;
  }
  let exit: number = EXIT.ok;
  const runner = async (command: Command, input: Readonly<Record<string, unknown>>) => {
    exit = await endOf(command, input, cli);
  };
  const program = createProgram(cli, NOUNS, runner, argv);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    if (isSuccessfulExit(error)) return EXIT.ok;
    if (isMissingVerb(error)) return EXIT.usage;
    if (error instanceof EarlyExit) return error.exit;
    return await printFailure(error, cli, wantsJson(argv));
  } finally {
    await cli.close().catch(() => undefined);
  }
}

async function endOf(
  command: Command,
  input: Readonly<Record<string, unknown>>,
  cli: Cli,
): Promise<number> {
  const { signal } = cli.io;
  const ends = [
    ...(command.ownsSignal ? [] : [interruption(cli)]),
    ...(command.ownsTimeout ? [] : ranOut(cli)),
  ];
  try {
    const exit = (await Promise.race([command.run(cli, input), ...ends])) ?? EXIT.ok;
    return command.ownsSignal && signal.reason === 'SIGINT' ? EXIT.interrupted : exit;
  } catch (error) {
    // A signal makes pending work fail with various errors, e.g. an unreachable server.
    if (signal.reason === 'SIGINT') throw new EarlyExit(EXIT.interrupted);
    throw error instanceof AppError ? namedByFlags(error, command, input) : error;
  }
}

/** Rejects on a signal, or when output cannot be written; `run` then sets the exit status. */
function interruption({ io: { signal } }: Cli): Promise<never> {
  return new Promise<never>((_, reject) => {
    const leave = () =>
      reject(new EarlyExit(signal.reason === OUTPUT_LOST ? EXIT.ok : EXIT.interrupted));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** Rejects after `--timeout`, if given. */
function ranOut(cli: Cli): Promise<never>[] {
  const { timeout } = cli.globals;
  if (timeout === undefined) return [];
  const timeoutMs = cli.values.duration('--timeout', timeout);
  const end = new Promise<never>((_, reject) => {
    const leave = () => {
      cli.io.err(`${cli.t('cli.notes.ran_out', { timeout })}\n`);
      reject(new EarlyExit(EXIT.waitRanOut));
    };
    setTimeout(leave, timeoutMs).unref();
  });
  return [end];
}

/** Checks the raw arguments, since they may have failed to parse. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      word === '--json' ||
      word === '--output=json' ||
      ((word === '--output' || word === '-o') && argv[index + 1] === 'json'),
  );
}
