/** What the dashboard needs from outside; tests pass their own. */
import type { Language } from '../locales/text.ts';
import type { Session } from '../session/session.ts';
import type { Values } from '../session/values.ts';
import type { Site } from './model/state.ts';

/** Whether the person left, or the process was asked to end. */
export type Ending = 'quit' | 'interrupted';

export interface Ports {
  readonly session: Pick<Session, 'api' | 'quotaPerUnit'>;
  readonly site: Site;
  readonly isOperator: boolean;
  readonly language: Language;
  readonly nowMs: () => number;
  readonly valuesFor: (language: Language) => Values;
  /** Control sequences that draw nothing. */
  write(text: string): void;
  /** Opens the user's editor; the dashboard releases the terminal for it. */
  edit(text: string, extension: string): Promise<string>;
  /** False where no browser can be opened. */
  openUrl(url: string): Promise<boolean>;
  /** Where this machine reaches the gateway. */
  address(): Promise<string>;
  /** Readable for its owner only; never over a file that is there. */
  writeFile(path: string, text: string): Promise<void>;
  /** To the shell and back. */
  suspend(): void;
  quit(ending: Ending): void;
}
