/** Two renderers of the dashboard: full-screen frames, or text appended line by line. */
import { Writable } from 'node:stream';
import { type RenderOptions, render } from 'ink';
import { App, LinearApp, type TuiOutput } from './app.tsx';
import { asAscii } from './ascii.ts';
import type { Runtime } from './runtime.ts';
import { claimTerminal, Frames, FULL_SCREEN, LINEAR } from './terminal.ts';
import { withBackspace } from './use-keys.ts';

export interface Renderer {
  /** Releases the terminal to another program temporarily. */
  leave(): void;
  /** Takes the terminal back. */
  enter(): void;
  resized(): void;
  /** Releases the terminal for good. */
  close(): void;
}

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly ascii: boolean;
  readonly onFailure: (error: unknown) => void;
}

function inkOptions({ stdin }: Terminal, out: Writable): RenderOptions {
  return {
    stdin: withBackspace(stdin),
    // Ink only writes to it and reads its size.
    stdout: out as unknown as NodeJS.WriteStream,
    // Makes Ink write whole frames without control sequences; `Frames` finds the changed lines.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  };
}

export function fullScreenRenderer(runtime: Runtime, terminal: Terminal): Renderer {
  const { stdout, ascii, onFailure } = terminal;
  const screen = claimTerminal(stdout, FULL_SCREEN);
  const frames = new Frames(stdout, ascii);
  screen.enter();
  const mounted = render(<App runtime={runtime} />, inkOptions(terminal, frames));
  mounted.waitUntilExit().catch(onFailure);
  return {
    leave() {
      frames.pause();
      screen.leave();
    },
    enter() {
      screen.enter();
      frames.resume();
    },
    // The terminal may have reflowed the old frame, so everything is redrawn.
    resized() {
      screen.clear();
      frames.invalidate();
    },
    close() {
      frames.pause();
      mounted.unmount();
      screen.close();
    },
  };
}

export function linearRenderer(runtime: Runtime, terminal: Terminal): Renderer {
  const { stdout, ascii, onFailure } = terminal;
  const screen = claimTerminal(stdout, LINEAR);
  let isOpen = true;
  const output: TuiOutput = {
    isOpen: () => isOpen,
    write: (text) => void stdout.write(ascii ? asAscii(text) : text),
  };
  screen.enter();
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const app = <LinearApp runtime={runtime} output={output} />;
  const mounted = render(app, inkOptions(terminal, nowhere));
  mounted.waitUntilExit().catch(onFailure);
  return {
    leave() {
      isOpen = false;
      screen.leave();
    },
    enter() {
      screen.enter();
      isOpen = true;
    },
    resized: () => undefined,
    close() {
      mounted.unmount();
      screen.close();
      stdout.write('\n');
    },
  };
}
