/** Takes over the terminal, restores it on every exit, and writes what Ink renders. */
import { Writable } from 'node:stream';

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

/** For a screen reader: the text stays among the other output. */
export const LINEAR: TerminalModes = { enter: '\u001B[?2004h', leave: '\u001B[?2004l\n' };

const CLEAR = '\u001B[2J\u001B[H';
/** Synchronized output: terminals that support it show everything in between at once. */
const SYNC_START = '\u001B[?2026h';
const SYNC_END = '\u001B[?2026l';

/** A process that is not stopped within this time has no job control and continues. */
const STOPPED_MS = 300;

/**
 * Returns the function that restores the terminal; an exit or an uncaught exception does the same.
 */
export function claimTerminal(stdout: NodeJS.WriteStream, modes: TerminalModes): () => void {
  const leave = () => {
    process.off('exit', leave);
    process.off('uncaughtExceptionMonitor', leave);
    stdout.write(modes.leave);
  };
  process.on('exit', leave);
  // Before Node prints the error, which would otherwise be lost with the alternate screen.
  process.on('uncaughtExceptionMonitor', leave);
  stdout.write(modes.enter);
  return leave;
}

/** A stream for Ink, with the size of the terminal; `shown` turns Ink's text into what is written. */
export function outputTo(
  terminal: NodeJS.WriteStream,
  shown: (text: string) => string,
): NodeJS.WriteStream {
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      const written = shown(text);
      if (written !== '') terminal.write(written);
      done();
    },
  });
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  // Ink only writes to it and reads its size.
  return output as unknown as NodeJS.WriteStream;
}

/**
 * Turns whole frames into the lines that changed, each at its own position. Ink's plain writer
 * erases and writes all of a frame (2.9 kB at 80 x 24, 10.9 kB at 200 x 50, where this takes 0.3
 * and 0.5 kB), and its incremental one loses a line of a frame shorter than the terminal (6.8).
 */
export function changedLines(): (frame: string) => string {
  let before: readonly string[] | undefined;
  return (frame) => {
    const lines = frame.split('\n');
    const start = before === undefined ? CLEAR : '';
    const changed = lines.flatMap((line, index) =>
      line === before?.[index] ? [] : [`\u001B[${index + 1};1H${line}\u001B[0m\u001B[K`],
    );
    before = lines;
    const text = start + changed.join('');
    return text === '' ? '' : SYNC_START + text + SYNC_END;
  };
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
