/** Renders the dashboard: on the terminal until it is closed, or once as text. */
import { Writable } from 'node:stream';
import { type RenderOptions, render, renderToString } from 'ink';
import { App } from './app.tsx';
import { asAscii } from './ascii.ts';
import { ScreenFrame } from './components/frame.tsx';
import type { Runtime } from './runtime.ts';
import { changedLines, claimTerminal, FULL_SCREEN, LINEAR, outputTo } from './terminal.ts';
import { withBackspace } from './use-keys.ts';

export interface Look {
  readonly ascii: boolean;
  /** Ink's text for screen readers instead of drawn frames. */
  readonly screenReader: boolean;
}

export interface OpenView {
  /** Draws everything again: a resized terminal may have moved the old frame. */
  redraw(): void;
  /** Restores the terminal. */
  close(): void;
}

interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly onFailure: (error: unknown) => void;
}

export function openView(
  runtime: Runtime,
  { stdin, stdout, onFailure }: Terminal,
  { ascii, screenReader }: Look,
): OpenView {
  const leave = claimTerminal(stdout, screenReader ? LINEAR : FULL_SCREEN);
  let isOpen = true;
  let changes = changedLines();
  const output = outputTo(stdout, (text) => {
    if (!isOpen || text === '') return '';
    const shown = ascii ? asAscii(text) : text;
    return screenReader ? shown : changes(shown);
  });
  const mounted = render(<App runtime={runtime} />, {
    ...inkOptions(screenReader),
    stdin: withBackspace(stdin),
    stdout: output,
    // Makes Ink write whole frames, of which `changedLines` writes the changes.
    debug: !screenReader,
  });
  mounted.waitUntilExit().catch(onFailure);
  return {
    redraw() {
      changes = changedLines();
    },
    close() {
      isOpen = false;
      mounted.unmount();
      stdin.pause();
      leave();
    },
  };
}

/** The frame as lines of text, with control sequences only for colours and the inverse row. */
export function frameText(runtime: Runtime, { ascii, screenReader }: Look): string {
  const frame = <ScreenFrame runtime={runtime} />;
  const { columns } = runtime.state;
  const text = screenReader ? spokenText(frame) : renderToString(frame, { columns });
  return ascii ? asAscii(text) : text;
}

/** Ink's `renderToString` has no text for screen readers. */
function spokenText(frame: React.ReactElement): string {
  const texts: string[] = [];
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      texts.push(text);
      done();
    },
  }) as unknown as NodeJS.WriteStream;
  render(frame, { ...inkOptions(true), stdout: output, debug: true }).unmount();
  return texts[0] ?? '';
}

function inkOptions(isScreenReaderEnabled: boolean): RenderOptions {
  return { isScreenReaderEnabled, exitOnCtrlC: false, patchConsole: false };
}
