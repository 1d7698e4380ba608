/** Flags that every command accepts, before or after its own words. */
export const GLOBAL_FLAGS = [
  '-o, --output <form>',
  '--json',
  '--fields <names>',
  '-q, --quiet',
  '-y, --yes',
  '--force',
  '--no-input',
  '--dry-run',
  '--db <dsn>',
  '--data <folder>',
  '--url <url>',
  '--access-token <token>',
  '--access-token-stdin',
  '--user-id <id>',
  '--profile <name>',
  '--retries <n>',
  '--timeout <time>',
  '--no-color',
  '--verbose',
  '--debug',
] as const;

/**
 * The locale key of a flag's help text: shared by all nouns, unless a noun has its own text for it
 * or `--no-x` has one separate from `--x`.
 */
export function flagTextKey(noun: string, flag: string, hasText: (key: string) => boolean): string {
  const name = flagName(flag);
  const own = `cli.flags_of.${noun}.${name}`;
  const negated = `cli.flags.no-${name}`;
  if (hasText(own)) return own;
  return flag.includes('--no-') && hasText(negated) ? negated : `cli.flags.${name}`;
}

/** `dry-run` of `--dry-run`, `output` of `-o, --output <form>`, `color` of `--no-color`. */
function flagName(flag: string): string {
  return /--(?:no-)?([a-z0-9-]+)/.exec(flag)?.[1] ?? flag;
}
