/** The two ways a dashboard is shown: drawn over the whole terminal, or told as text that goes on. */
import { render } from 'ink';
import { App } from './app.tsx';
import { listen } from './keyboard.ts';
import { asAscii, type Palette } from './model/paint.ts';
import type { Runtime } from './runtime.ts';
import { Announcer } from './screen-reader/announcer.ts';
import { claimTerminal, Frames, FULL_SCREEN, LINEAR } from './terminal.ts';

export interface Renderer {
  /** Gives the terminal to somebody else for a while. */
  leave(): void;
  /** Takes it again. */
  enter(): void;
  resized(): void;
  /** For good. */
  close(): void;
}

export function fullScreenRenderer(
  runtime: Runtime,
  stdout: NodeJS.WriteStream,
  palette: Palette,
  onFailure: (error: unknown) => void,
): Renderer {
  const screen = claimTerminal(stdout, FULL_SCREEN);
  const frames = new Frames(stdout);
  screen.enter();
  const mounted = render(<App runtime={runtime} palette={palette} />, {
    // It writes to it, and asks for its size: no more is used of a terminal.
    stdout: frames as unknown as NodeJS.WriteStream,
    // Whole frames without control sequences; what is new in them is found in `Frames`.
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  mounted.waitUntilExit().catch(onFailure);
  return {
    leave() {
      frames.shut();
      screen.leave();
    },
    enter() {
      screen.enter();
      frames.open();
    },
    // A frame of another size is drawn anew: what the terminal made of the old one is unknown.
    resized() {
      screen.clear();
      frames.forget();
    },
    close() {
      frames.shut();
      mounted.unmount();
      screen.close();
    },
  };
}

interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

export function linearRenderer(
  runtime: Runtime,
  { stdin, stdout }: Streams,
  { ascii }: Pick<Palette, 'ascii'>,
): Renderer {
  const terminal = claimTerminal(stdout, LINEAR);
  const announcer = new Announcer(runtime);
  let isOpen = true;
  let due: NodeJS.Immediate | undefined;
  // What changes in one go is told in one go.
  const tell = () => {
    due ??= setImmediate(() => {
      due = undefined;
      const text = isOpen ? announcer.next() : '';
      if (text !== '') stdout.write(ascii ? asAscii(text) : text);
    });
  };
  terminal.enter();
  const unsubscribe = runtime.subscribe(tell);
  const stopListening = listen(stdin, (key) => runtime.key(key));
  tell();
  return {
    leave() {
      isOpen = false;
      terminal.leave();
    },
    enter() {
      terminal.enter();
      isOpen = true;
      tell();
    },
    resized: () => undefined,
    close() {
      clearImmediate(due);
      unsubscribe();
      stopListening();
      terminal.close();
      stdout.write('\n');
    },
  };
}
