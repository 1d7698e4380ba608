/**
 * Takes over the terminal, restores it on every exit, and draws frames. Ink's own incremental
 * writer loses a line when a frame is shorter than the terminal (6.8), and its plain one flickers:
 * here only changed lines are written, each at its own position.
 */
import { Writable } from 'node:stream';
import { asAscii } from './ascii.ts';

/** Control sequences that take over and restore the terminal. */
export interface TerminalModes {
  readonly enter: string;
  readonly leave: string;
}

export const FULL_SCREEN: TerminalModes = {
  enter: [
    '\u001B[?1049h', // the alternate screen
    '\u001B[2J\u001B[H',
    '\u001B[?25l', // hide the cursor
    '\u001B[?1004h', // report focus
    '\u001B[?2004h', // bracketed paste
  ].join(''),
  leave: ['\u001B[?2004l', '\u001B[?1004l', '\u001B[?25h', '\u001B[?1049l'].join(''),
};

/** For text output that is appended: only bracketed paste. */
export const LINEAR: TerminalModes = { enter: '\u001B[?2004h', leave: '\u001B[?2004l' };

const CLEAR = '\u001B[2J\u001B[H';
/** Synchronized output: terminals that support it show everything in between at once. */
const SYNC_START = '\u001B[?2026h';
const SYNC_END = '\u001B[?2026l';

/** A process that is not stopped within this time has no job control and continues. */
const STOPPED_MS = 300;

export interface ClaimedTerminal {
  enter(): void;
  leave(): void;
  clear(): void;
  /** Leaves for good. */
  close(): void;
}

/** Also restores the terminal when the process ends by an uncaught exception. */
export function claimTerminal(stdout: NodeJS.WriteStream, modes: TerminalModes): ClaimedTerminal {
  let isEntered = false;
  const leave = () => {
    if (!isEntered) return;
    isEntered = false;
    stdout.write(modes.leave);
  };
  process.on('exit', leave);
  // Before Node prints the error, which would otherwise be lost with the alternate screen.
  process.on('uncaughtExceptionMonitor', leave);
  return {
    enter() {
      if (isEntered) return;
      isEntered = true;
      stdout.write(modes.enter);
    },
    leave,
    clear: () => void stdout.write(CLEAR),
    close() {
      leave();
      process.off('exit', leave);
      process.off('uncaughtExceptionMonitor', leave);
    },
  };
}

/** Receives whole frames from Ink and writes only the changed lines to the terminal. */
export class Frames extends Writable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.WriteStream;
  readonly #ascii: boolean;
  #shown: readonly string[] = [];
  #isPaused = false;

  constructor(terminal: NodeJS.WriteStream, ascii: boolean) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#ascii = ascii;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** Forgets the last frame, so that the next one is drawn completely. */
  invalidate(): void {
    this.#shown = [];
  }

  /** Drops frames until `resume`, while another program uses the terminal. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.invalidate();
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    if (!this.#isPaused && frame !== '')
      this.#draw((this.#ascii ? asAscii(frame) : frame).split('\n'));
    done();
  }

  #draw(lines: readonly string[]): void {
    const changed = lines.flatMap((line, index) =>
      line === this.#shown[index] ? [] : [`\u001B[${index + 1};1H${line}\u001B[0m\u001B[K`],
    );
    const below =
      lines.length < this.#shown.length ? [`\u001B[${lines.length + 1};1H\u001B[J`] : [];
    this.#shown = lines;
    const text = [...changed, ...below].join('');
    if (text !== '') this.#terminal.write(SYNC_START + text + SYNC_END);
  }
}

/** Stops the process as Ctrl+Z does, and calls `resume` when it continues. */
export function stopProcess(resume: () => void): void {
  let isBack = false;
  const back = () => {
    if (isBack) return;
    isBack = true;
    clearTimeout(timer);
    process.off('SIGCONT', back);
    resume();
  };
  process.once('SIGCONT', back);
  const timer = setTimeout(back, STOPPED_MS);
  // Signals the whole process group, because a wrapper such as npm waits in it.
  process.kill(0, 'SIGTSTP');
}
