/**
 * Defines commands as data: usage, flags, examples and implementation. The input type is derived
 * from the usage and flag strings, so that parsing and types cannot diverge.
 */
import type { Cli } from './cli.ts';

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** `'edit <user> [ids...]'` gives `{ user: string; ids: string[] }`. */
type ArgumentsOf<U extends string> = U extends `${infer Word} ${infer Rest}`
  ? ArgumentsOf<Word> & ArgumentsOf<Rest>
  : U extends `<${infer N}...>` | `[${infer N}...]`
    ? { readonly [K in N]: readonly string[] }
    : U extends `<${infer N}>`
      ? { readonly [K in N]: string }
      : U extends `[${infer N}]`
        ? { readonly [K in N]?: string }
        : unknown;

type LongName<F extends string> = F extends `-${string}, --${infer Rest}`
  ? LongName<`--${Rest}`>
  : F extends `--no-${infer N}`
    ? CamelCase<N>
    : F extends `--${infer N} <${string}>`
      ? CamelCase<N>
      : F extends `--${infer N}`
        ? CamelCase<N>
        : never;

/** `'--page <n>' | '--unlimited'` gives `{ page?: string; unlimited?: boolean }`. */
export type FlagsOf<F extends string> = {
  readonly [K in F as LongName<K>]?: K extends `${string} <${string}>` ? string : boolean;
};

export type InputOf<U extends string, F extends string> = ArgumentsOf<U> & FlagsOf<F>;

/** Undefined means 0; a command that runs another program returns that program's exit status. */
export type CommandOutcome = number | undefined;

interface Row<U extends string, F extends string> {
  /** The verb (or the noun of a command without verbs) and its arguments. */
  readonly usage: U;
  /** Long flags; `--x <value>` takes a value. Help texts are in the locales under `cli.flags`. */
  readonly flags?: readonly F[];
  /** Examples without the leading `gateway <noun>`; the first is the most common one. */
  readonly examples: readonly string[];
  /** The command handles `io.signal` itself and ends cleanly. */
  readonly ownsSignal?: true;
  /** The command implements `--timeout` itself. */
  readonly ownsTimeout?: true;
  readonly run: (
    cli: Cli,
    input: InputOf<U, F>,
  ) => Promise<CommandOutcome | undefined> | Promise<void>;
}

export interface Command {
  readonly usage: string;
  readonly flags: readonly string[];
  readonly examples: readonly string[];
  readonly ownsSignal: boolean;
  readonly ownsTimeout: boolean;
  readonly run: (cli: Cli, input: Readonly<Record<string, unknown>>) => Promise<CommandOutcome>;
}

export interface Noun {
  readonly name: string;
  readonly verbs: readonly Command[];
}

export function command<const U extends string, const F extends string = never>(
  row: Row<U, F>,
): Command {
  return {
    usage: row.usage,
    flags: row.flags ?? [],
    examples: row.examples,
    ownsSignal: row.ownsSignal === true,
    ownsTimeout: row.ownsTimeout === true,
    run: async (cli, input) => {
      // commander parsed the input with the same strings that the type is derived from
      const code = await row.run(cli, input as InputOf<U, F>);
      return code ?? undefined;
    },
  };
}

/** The verb of a usage: `edit` of `edit <user>`. */
export function wordOf(usage: string): string {
  return usage.split(' ')[0] ?? usage;
}

/** `base-url` of `--base-url <url>`. */
export function flagName(flag: string): string {
  return /--([\w-]+)/.exec(flag)?.[1] ?? '';
}

/** The name of a flag's value in the input: `baseUrl` of `base-url`. */
export function inputName(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
