/**
 * Progress of long operations: a bar on a terminal, occasional plain lines if stderr is redirected,
 * nothing with `--quiet` or in program formats.
 */
import type { CommandContext } from '../command-context.ts';

type Terminal = Pick<CommandContext, 'io' | 'globals' | 'isTableOutput'>;

export interface Progress {
  /** @param count items done since the last tick. */
  tick(count?: number): void;
  /** Removes the bar. Idempotent. */
  end(): void;
}

const CELLS = 20;
/** Without a total, redirected output gets a line after each of this many items. */
const LINE_EVERY = 10_000;
const CLEAR_LINE = '\r\u001b[K';

const SILENT: Progress = { tick: () => undefined, end: () => undefined };

/**
 * @param total items; undefined if unknown.
 * @param label describes the work, e.g. `channel test`.
 */
export function progress(cli: Terminal, total: number | undefined, label: string): Progress {
  if (cli.globals.quiet || !cli.isTableOutput() || total === 0) return SILENT;
  return cli.io.errIsTTY ? bar(cli, total, label) : lines(cli, total, label);
}

/** Does work that reports its rows; returns undefined if it was interrupted. */
export async function watched<T>(
  cli: Terminal,
  total: number | undefined,
  label: string,
  work: (watch: { signal: AbortSignal; onRows: (count: number) => void }) => Promise<T>,
): Promise<T | undefined> {
  const { signal } = cli.io;
  const shown = progress(cli, total, label);
  const done = await work({ signal, onRows: (count) => shown.tick(count) }).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    },
  );
  shown.end();
  return done;
}

function bar({ io }: Terminal, total: number | undefined, label: string): Progress {
  let done = 0;
  let shown = '';
  const draw = (text: string) => {
    if (text === shown) return;
    shown = text;
    io.err(`${CLEAR_LINE}${text}`);
  };
  draw(barText(label, done, total));
  return {
    tick(count = 1) {
      done += count;
      draw(barText(label, done, total));
    },
    end() {
      if (shown !== '') io.err(CLEAR_LINE);
      shown = '';
    },
  };
}

function barText(label: string, done: number, total: number | undefined): string {
  if (total === undefined) return `${label} ${done}`;
  const filled = Math.min(CELLS, Math.floor((done / total) * CELLS));
  return `${label} [${'#'.repeat(filled)}${'.'.repeat(CELLS - filled)}] ${done}/${total}`;
}

function lines({ io }: Terminal, total: number | undefined, label: string): Progress {
  let done = 0;
  const step = total === undefined ? LINE_EVERY : total / 10;
  return {
    tick(count = 1) {
      const before = Math.floor(done / step);
      done += count;
      if (Math.floor(done / step) === before) return;
      io.err(`${label} ${total === undefined ? done : `${done}/${total}`}\n`);
    },
    end: () => undefined,
  };
}
