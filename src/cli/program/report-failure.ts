/** Prints a failed command's error: a sentence with a hint, or one JSON object. */
import { CommanderError } from 'commander';
import { type AppError, ERROR_KINDS } from '../../domain/errors/errors.ts';
import { allProblemsText, hintText } from '../../locales/text.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../process/exit-codes.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
  /** The HTTP status of the same error in the API. */
  readonly status: number;
  readonly hint: string | null;
  readonly exit: number;
}

/** Prints the error on stderr and returns the exit status. */
export async function printFailure(thrown: unknown, cli: Cli, wantsJson: boolean): Promise<number> {
  const failure =
    thrown instanceof CommanderError
      ? usageFailure(thrown, cli)
      : failureOf(await cli.errorOf(thrown), cli);
  const { exit, ...error } = failure;
  cli.io.err(wantsJson ? `${JSON.stringify({ error })}\n` : sentence(failure, cli));
  if (cli.globals.debug && !(thrown instanceof CommanderError)) cli.io.err(`${traceOf(thrown)}\n`);
  return exit;
}

function failureOf(error: AppError, { language }: Cli): Failure {
  return {
    code: error.code,
    message: allProblemsText(error, language),
    status: error.status,
    hint: hintText(error, language) ?? null,
    exit: ERROR_KINDS[error.row.kind].exit,
  };
}

/** commander's messages are English with the name in quotes; only the name is used. */
function usageFailure({ code, message }: CommanderError, { t }: Cli): Failure {
  const kind = code.replace('commander.', '');
  const name = /'([^']*)'/.exec(message)?.[1] ?? '';
  const similar = /\(Did you mean (?:one of )?(.*)\?\)/.exec(message)?.[1]?.split(', ') ?? [];
  const suggestion = similar.join(t('cli.usage.or'));
  return {
    code: 'argument_invalid',
    message: t(`cli.usage.${kind}`, { name }),
    status: ERROR_KINDS.usage.http,
    hint: suggestion ? t('cli.usage.suggestion', { suggestion }) : t('cli.usage.see_help'),
    exit: EXIT.usage,
  };
}

function sentence({ message, hint }: Failure, { paint, t }: Cli): string {
  const lines = message.split('\n').map((line) => `${paint.red(t('cli.notes.error'))}${line}`);
  if (hint !== null) lines.push(paint.dim(`  ${hint}`));
  return `${lines.join('\n')}\n`;
}

function traceOf(thrown: unknown): string {
  const causes: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause) {
    causes.push(error.stack ?? error.message);
  }
  return causes.join('\ncaused by ');
}

/** Help and version end the parsing with an exception but are not failures. */
export function isSuccessfulExit(thrown: unknown): boolean {
  return thrown instanceof CommanderError && thrown.exitCode === 0;
}

/** `gateway user` without a verb: commander has already printed the help on stderr. */
export function isMissingVerb(thrown: unknown): boolean {
  return (
    thrown instanceof CommanderError && thrown.code === 'commander.help' && thrown.exitCode !== 0
  );
}
