/** External dependencies of the dashboard; tests substitute their own. */
import type { Language } from '../locales/text.ts';
import type { LocalApi, Session } from '../session/session.ts';
import type { Values } from '../session/values.ts';
import type { Site } from './model/state.ts';
import type { ReplyRow } from './screens/screen.ts';

/** Whether the user quit or the process was signaled to stop. */
export type ExitReason = 'quit' | 'interrupted';

/** Runs a command of `gateway` without questions; returns the rows of its reply. */
export type RunCommand = (
  argv: readonly string[],
  given: { readonly api: LocalApi; readonly language: Language; readonly stdin: string },
) => Promise<readonly ReplyRow[]>;

export interface DashboardPorts {
  readonly session: Pick<Session, 'api' | 'quotaPerUnit'>;
  readonly site: Site;
  readonly isOperator: boolean;
  readonly language: Language;
  readonly nowMs: () => number;
  readonly valuesFor: (language: Language) => Values;
  readonly run: RunCommand;
  /** Writes control sequences that draw nothing. */
  write(text: string): void;
  /** Opens the user's editor; the dashboard releases the terminal for it. */
  edit(text: string, extension: string): Promise<string>;
  /** Resolves to false where no browser can be opened. */
  openUrl(url: string): Promise<boolean>;
  /** URL at which this machine reaches the gateway. */
  address(): Promise<string>;
  /** Creates a file readable only by its owner; never overwrites. */
  writeFile(path: string, text: string): Promise<void>;
  /** Suspends the process (Ctrl+Z) until it is resumed. */
  suspend(): void;
  quit(ending: ExitReason): void;
}
