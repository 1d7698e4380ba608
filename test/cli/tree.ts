/** Lists the commands of the tree for tests that cover every command. */
import { wordOf } from '../../src/cli/command.ts';
import { NOUNS } from '../../src/cli/commands/all-commands.ts';

/** `channel list`, or `serve` for a noun without verbs. */
function everyCommand(): string[] {
  return NOUNS.flatMap(({ name, verbs }) =>
    verbs.map(({ usage }) => (wordOf(usage) === name ? name : `${name} ${wordOf(usage)}`)),
  );
}

/** The commands that no line begins with. */
export function withoutLine(lines: readonly string[]): string[] {
  return everyCommand().filter(
    (command) => !lines.some((line) => `${line} `.startsWith(`${command} `)),
  );
}
