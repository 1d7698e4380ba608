/** One call of the command line, from its words to its exit status. */

import { Cli } from './cli.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { isMissingVerb, isQuietEnd, reportFailure } from './failure.ts';
import { firstHelp } from './help.ts';
import type { Io } from './io.ts';
import { languageOf } from './language.ts';
import { Left } from './left.ts';
import { createProgram } from './program.ts';

/** @param argv the words after `gateway`. Never throws: what went wrong is said on stderr. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const cli = new Cli(io, languageOf(io.env));
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
  if (command.ownsSignal) {
    const exit = (await command.run(cli, input)) ?? EXIT.ok;
    return signal.reason === 'SIGINT' ? EXIT.interrupted : exit;
  }
  const exit = await Promise.race([command.run(cli, input), ...earlierEnds(cli)]);
  return exit ?? EXIT.ok;
}

/** What may end a command before itself: a signal, a reader that left, `--timeout`. */
function earlierEnds(cli: Cli): Promise<never>[] {
  const { signal } = cli.io;
  const { timeout } = cli.globals;
  const aborted = new Promise<never>((_, reject) => {
    const leave = () => reject(new Left(signal.reason === 'EPIPE' ? EXIT.ok : EXIT.interrupted));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
  if (timeout === undefined) return [aborted];
  const timeoutMs = cli.values.duration('--timeout', timeout);
  const ranOut = new Promise<never>((_, reject) => {
    const leave = () => {
      cli.io.err(`${cli.t('cli.say.ran_out', { timeout })}\n`);
      reject(new Left(EXIT.waitRanOut));
    };
    setTimeout(leave, timeoutMs).unref();
  });
  return [aborted, ranOut];
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
