/** What the code below a command may use of it. */
import type { Translate } from '../locales/text.ts';
import type { Server } from '../session/http.ts';
import type { Values } from '../session/values.ts';
import type { Io } from './io.ts';

/** Flags that mean the same everywhere; commander fills them before a command runs. */
export interface Globals {
  readonly json?: boolean;
  readonly output?: string;
  readonly fields?: string;
  readonly quiet?: boolean;
  readonly yes?: boolean;
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

/** `Cli` without the session that it opens. */
export interface CommandContext {
  readonly io: Io;
  readonly t: Translate;
  readonly values: Values;
  readonly globals: Globals;
  /** The server to call, or undefined when this machine's own database answers. */
  server(): Promise<Server | undefined>;
  /** Prints a line for people. */
  say(text: string): void;
}
