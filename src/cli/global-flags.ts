/** Flags that every command takes, before or after its own words. */
export const GLOBAL_FLAGS = [
  '-o, --output <form>',
  '--json',
  '--fields <names>',
  '-q, --quiet',
  '-y, --yes',
  '--no-input',
  '--dry-run',
  '--db <dsn>',
  '--data <folder>',
  '--url <url>',
  '--timeout <time>',
  '--no-color',
  '--verbose',
  '--debug',
] as const;

/** `dry-run` of `--dry-run`, `output` of `-o, --output <form>`, `color` of `--no-color`. */
export function flagName(flag: string): string {
  return /--(?:no-)?([a-z-]+)/.exec(flag)?.[1] ?? flag;
}
