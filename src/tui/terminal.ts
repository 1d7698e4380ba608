/**
 * The terminal, taken once and given back on every way out, and the frames on it. Ink's own
 * incremental writer loses a line where a frame is lower than the terminal (6.8), and its plain one
 * flickers: here a line is written when it changed, at its own place.
 */
import { Writable } from 'node:stream';

/** What a terminal is told when it is taken and when it is given back. */
export interface Modes {
  readonly enter: string;
  readonly leave: string;
}

export const FULL_SCREEN: Modes = {
  enter: [
    '\u001B[?1049h', // the alternate screen
    '\u001B[2J\u001B[H',
    '\u001B[?25l', // no cursor
    '\u001B[?1004h', // tell of focus
    '\u001B[?2004h', // mark what is pasted
  ].join(''),
  leave: ['\u001B[?2004l', '\u001B[?1004l', '\u001B[?25h', '\u001B[?1049l'].join(''),
};

/** Text that goes on below what was there; only pasted keys are marked. */
export const LINEAR: Modes = { enter: '\u001B[?2004h', leave: '\u001B[?2004l' };

const CLEAR = '\u001B[2J\u001B[H';
/** Terminals that know it show all that stands between at once. */
const TOGETHER = ['\u001B[?2026h', '\u001B[?2026l'] as const;

/** A stopped process goes on within this, or it never was stopped: nobody controls its jobs. */
const STOPPED_MS = 300;

export interface ClaimedTerminal {
  enter(): void;
  leave(): void;
  clear(): void;
  /** Leaves for good. */
  close(): void;
}

/** Restores the terminal also when the process ends in a way nobody foresaw. */
export function claimTerminal(stdout: NodeJS.WriteStream, modes: Modes): ClaimedTerminal {
  let isEntered = false;
  const leave = () => {
    if (!isEntered) return;
    isEntered = false;
    stdout.write(modes.leave);
  };
  process.on('exit', leave);
  // Before Node prints what happened, or it would be lost with the alternate screen.
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

/** Where Ink writes its frames, each as a whole; the terminal gets what is new in them. */
export class Frames extends Writable {
  readonly isTTY = true;
  readonly #terminal: NodeJS.WriteStream;
  #shown: readonly string[] = [];
  #isOpen = true;

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** Nothing of what was written stands on the terminal any more. */
  forget(): void {
    this.#shown = [];
  }

  /** Frames go nowhere until `open`: the terminal is somebody else's. */
  shut(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    this.forget();
  }

  override _write(frame: string, _encoding: string, done: () => void): void {
    if (this.#isOpen && frame !== '') this.#draw(frame.split('\n'));
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
    if (text !== '') this.#terminal.write(TOGETHER[0] + text + TOGETHER[1]);
  }
}

/** Stops the process as Ctrl+Z does, and calls `resume` when it goes on. */
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
  // The whole job, as a wrapper such as npm waits in it; the system's own way of stopping.
  process.kill(0, 'SIGTSTP');
}
