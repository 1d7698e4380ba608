/** One call of the command line, from its words to its exit status. */

import { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { isMissingVerb, isQuietEnd, reportFailure } from './failure.ts';
import { firstHelp } from './help.ts';
import { type Io, OUTPUT_LOST } from './io.ts';
import { languageOf } from './language.ts';
import { Left } from './left.ts';
import { createProgram } from './program.ts';
import { writeFailure } from './write-failure.ts';

/** @param argv the words after `gateway`. Never throws: what went wrong is said on stderr. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const cli = new Cli(io, languageOf(io.env));
  const exit = await exitOf(argv, cli);
  const lost = await io.lostOutput();
  if (lost === undefined) return exit;
  // A reader that left (`| head`) gets no sentence, but what it did not read was not delivered.
  if (lost.error.code === 'EPIPE') return exit === EXIT.ok ? EXIT.outputClosed : exit;
  const failed = reportFailure(writeFailure(lost.target, lost.error), cli, wantsJson(argv));
  return exit === EXIT.ok ? failed : exit;
}

async function exitOf(argv: readonly string[], cli: Cli): Promise<number> {
  const { io } = cli;
  let exit: number = EXIT.ok;
  const program = createProgram(cli, async (command, input) => {
    exit = await endOf(command, input, cli);
  });
  if (argv.length === 0) {
    io.out(firstHelp(program, cli));
    return EXIT.ok;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    if (isQuietEnd(error)) return EXIT.ok;
    if (isMissingVerb(error)) return EXIT.usage;
    if (error instanceof Left) return error.exit;
    return reportFailure(error, cli, wantsJson(argv));
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
    // What a signal breaks off fails in its own way, e.g. as a server that does not answer.
    if (signal.reason === 'SIGINT') throw new Left(EXIT.interrupted);
    throw error;
  }
}

/** A signal, or output that cannot be written any more; then `run` knows the exit status. */
function interruption({ io: { signal } }: Cli): Promise<never> {
  return new Promise<never>((_, reject) => {
    const leave = () =>
      reject(new Left(signal.reason === OUTPUT_LOST ? EXIT.ok : EXIT.interrupted));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** `--timeout`, where it is given. */
function ranOut(cli: Cli): Promise<never>[] {
  const { timeout } = cli.globals;
  if (timeout === undefined) return [];
  const timeoutMs = cli.values.duration('--timeout', timeout);
  const end = new Promise<never>((_, reject) => {
    const leave = () => {
      cli.io.err(`${cli.t('cli.say.ran_out', { timeout })}\n`);
      reject(new Left(EXIT.waitRanOut));
    };
    setTimeout(leave, timeoutMs).unref();
  });
  return [end];
}

/** Asked of the words themselves, as they may be just what could not be parsed. */
function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      word === '--json' ||
      word === '--output=json' ||
      ((word === '--output' || word === '-o') && argv[index + 1] === 'json'),
  );
}
