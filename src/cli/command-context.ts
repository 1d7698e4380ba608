/** The interface of `Cli` that code below the commands may use. */
import type { Config } from '../config.ts';
import type { Translate } from '../locales/text.ts';
import type { HttpOptions, Server } from '../session/http.ts';
import type { Values } from '../session/values.ts';
import type { Io } from './process/process-io.ts';

/** Global flags; commander fills them before a command runs. */
export interface Globals {
  readonly json?: boolean;
  readonly output?: string;
  readonly fields?: string;
  readonly quiet?: boolean;
  readonly yes?: boolean;
  /** Goes on although groups, models or prices in use are affected. */
  readonly force?: boolean;
  /** False after `--no-input`. */
  readonly input?: boolean;
  readonly dryRun?: boolean;
  readonly db?: string;
  readonly data?: string;
  readonly url?: string;
  readonly accessToken?: string;
  readonly accessTokenStdin?: boolean;
  readonly userId?: string;
  readonly profile?: string;
  readonly retries?: string;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly timeout?: string;
}

/** `Cli` without its session. */
export interface CommandContext {
  readonly io: Io;
  readonly t: Translate;
  readonly values: Values;
  readonly globals: Globals;
  /** The remote server, or undefined when this machine's own database is used. */
  server(): Promise<Server | undefined>;
  http(): HttpOptions;
  /** @throws AppError `config_invalid`. */
  config(): Promise<Config>;
  /** Whether the output is a table for people, not a document for programs. */
  isTableOutput(): boolean;
  /** Prints a line for the user. */
  note(text: string): void;
}
