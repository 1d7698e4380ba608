/** A fake terminal that records its output and answers prompts from a list. */

import type { Keyring } from '../../src/cli/process/keyring.ts';
import type { Io } from '../../src/cli/process/process-io.ts';
import { run } from '../../src/cli/run.ts';

export interface FakeTerminal extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly questions: readonly string[];
  interrupt(reason: string): void;
}

export interface TerminalOptions {
  readonly isTTY?: boolean;
  readonly errIsTTY?: boolean;
  readonly width?: number;
  readonly color?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Answers to prompts, in order; without them the terminal is not interactive. */
  readonly answers?: readonly string[];
  /** The machine's keyring; none by default. */
  readonly keyring?: Keyring;
}

export function terminal(options: TerminalOptions = {}): FakeTerminal {
  const { isTTY = false, width = 80, color = false, env = {}, stdin = '', answers } = options;
  const printed = { out: '', err: '' };
  const questions: string[] = [];
  const waiting = [...(answers ?? [])];
  const controller = new AbortController();
  const next = async (question: string) => {
    questions.push(question);
    return waiting.shift();
  };
  const ask: Io['ask'] = async (text, { proposed, problemOf } = {}) => {
    for (;;) {
      const answer = (await next(text)) || proposed;
      const problem = answer === undefined ? undefined : problemOf?.(answer);
      if (problem === undefined) return answer;
      printed.err += `${problem}\n`;
    }
  };
  const choose: Io['choose'] = async (question, { choices, initial, noMatch }) => {
    for (;;) {
      const typed = (await next(question)) || initial;
      if (typed === undefined) return undefined;
      const exact = choices.find(({ value }) => value === typed);
      const chosen = exact ?? choices.find(({ label }) => label?.toLowerCase().includes(typed));
      if (chosen !== undefined) return chosen.value;
      printed.err += `${noMatch}\n`;
    }
  };
  return {
    isTTY,
    errIsTTY: options.errIsTTY ?? false,
    canAsk: answers !== undefined,
    width,
    color,
    env,
    questions,
    signal: controller.signal,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    lostOutput: async () => undefined,
    stdout: () => printed.out,
    stderr: () => printed.err,
    readStdin: async () => stdin,
    ask,
    askSecret: ask,
    choose,
    outliveTerminal: () => undefined,
    confirm: async (question) => (await next(question)) === 'y',
    edit: async (text) => (await next(text)) ?? text,
    keyring: async () => options.keyring,
    interrupt: (reason) => controller.abort(reason),
  };
}

/** Runs a command on a fake terminal; arguments in one text are separated by spaces. */
export async function runCommand(words: string | readonly string[], options: TerminalOptions = {}) {
  const io = terminal(options);
  const argv = typeof words === 'string' ? words.split(' ').filter(Boolean) : words;
  const exit = await run(argv, io);
  const out = io.stdout();
  return {
    exit,
    out,
    err: io.stderr(),
    questions: io.questions,
    json: () => JSON.parse(out),
    /** The rows of a list. */
    rows: () => JSON.parse(out).items,
  };
}
