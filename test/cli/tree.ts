/** What a test of every command needs to know of the tree. */
import { wordOf } from '../../src/cli/command.ts';
import { NOUNS } from '../../src/cli/commands/all.ts';

/** `channel list`, or `serve` for a noun without verbs. */
function everyCommand(): string[] {
  return NOUNS.flatMap(({ name, verbs }) =>
    verbs.map(({ usage }) => (wordOf(usage) === name ? name : `${name} ${wordOf(usage)}`)),
  );
}

/** Those that no line begins with. */
export function withoutLine(lines: readonly string[]): string[] {
  return everyCommand().filter(
    (command) => !lines.some((line) => `${line} `.startsWith(`${command} `)),
  );
}
