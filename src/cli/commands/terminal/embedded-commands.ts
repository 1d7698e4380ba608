/** Runs commands inside another program of this terminal, on the session that it has opened. */
import { AppError } from '../../../domain/errors/errors.ts';
import type { Language } from '../../../locales/text.ts';
import type { LocalApi } from '../../../session/session.ts';
import { Cli, type OpenedSession } from '../../cli.ts';
import type { Io } from '../../process/process-io.ts';
import { namedByFlags } from '../../program/flag-names.ts';
import { createProgram } from '../../program/program.ts';
import { token } from '../accounts/token.ts';
import { user } from '../accounts/user.ts';
import { redemption } from '../billing/redemption.ts';
import { channel } from '../channel/channel.ts';

interface Given {
  /** The calls of the session, or what asks before some of them. */
  readonly api: LocalApi;
  readonly language: Language;
  readonly stdin: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Nouns whose objects the dashboard lists. */
const NOUNS = [channel, token, user, redemption];

const WITHOUT_QUESTIONS = ['--yes', '--no-input', '--output', 'jsonl'];

/** What it returns runs one command without questions. @throws the command's AppError. */
export function embeddedCommands({ session, server }: OpenedSession, io: Io) {
  /** Returns the rows of the reply. */
  return async (argv: readonly string[], { api, language, stdin }: Given): Promise<Row[]> => {
    let printed = '';
    const cli = new Cli(
      {
        ...io,
        isTTY: false,
        color: false,
        out: (text) => {
          printed += text;
        },
        err: () => undefined,
        readStdin: async () => stdin,
      },
      language,
      { session: { ...session, api }, server },
    );
    const program = createProgram(cli, NOUNS, async (command, input) => {
      try {
        await command.run(cli, input);
      } catch (error) {
        throw error instanceof AppError ? namedByFlags(error, command, input) : error;
      }
    });
    await program.parseAsync([...argv, ...WITHOUT_QUESTIONS], { from: 'user' });
    const lines = printed.split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  };
}
