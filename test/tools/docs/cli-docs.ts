/** Generates `docs/cli.md` from the command tree, so that both always agree. */

import { type Command, type Noun, wordOf } from '../../../src/cli/command.ts';
import { NOUNS } from '../../../src/cli/commands/all-commands.ts';
import { EXIT } from '../../../src/cli/process/exit-codes.ts';
import { aliasesOf, pluralOf } from '../../../src/cli/program/aliases.ts';
import { flagTextKey, GLOBAL_FLAGS } from '../../../src/cli/program/global-flags.ts';
import { DESCRIBED } from '../../../src/cli/program/help-text.ts';
import { hasText, translator } from '../../../src/locales/text.ts';

const t = translator('en');

const EXIT_TEXTS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'failed',
  usage: 'wrong usage, or a missing input',
  config: 'configuration, files, disk, database, secret key or port is wrong',
  denied: 'not signed in, or not allowed',
  missing: 'not found',
  refused: 'refused by validation, or in conflict with existing data',
  unreachable: 'database or server does not answer',
  partly: 'partly done',
  checkFailed: 'a check failed',
  waitRanOut: 'timed out while waiting',
  interrupted: 'interrupted',
  outputClosed: 'the reader of stdout closed it early, as `| head` does',
};

export function cliMarkdown(): string {
  return [
    '# The `gateway` command',
    'This page lists every command and flag. It is generated: change the texts in `src/locales` and run `npx tsx test/tools/docs/print-docs.ts`.',
    'A command prints data to stdout and messages to stderr. A terminal shows lists as tables; a pipe receives tab-separated lines without a header, and a table with `--output table`. In `json` and `yaml` every list is an object with `items`, `page`, `page_size` and `total`. Documents (`json`, `jsonl`, `yaml`, `csv`) contain amounts in quota units and a second field `<name>_usd`, times in ISO 8601 (UTC) and a second field `<name>_epoch` in seconds, and for each number that stands for a word a second field `<name>_word`.',
    'Commands use the database of this machine, whether the server runs or not, with the rights of a super administrator. A running server applies a change, such as a disabled channel, API token or user, at once if it uses the same data folder or Redis, or if the command goes to it with `--url`; else within half a second. With `--json` an error is `{"error":{"code","message","status","hint"}}` on stderr. The language comes from `GATEWAY_LANG`, else `LC_ALL`, `LC_MESSAGES` or `LANG`: Chinese if the value starts with `zh`, else English.',
    'A `create` of a name that is taken exits with 6. With `--if-absent` it keeps what has the name and prints it; with `--upsert` it changes it as the other flags say. Titles of messages may repeat, so `gateway message send` looks for the title only with one of these flags.',
    '`gateway login` stores its access token in the keyring of the system. Without a keyring it uses the file that `gateway config path` prints, which only its owner can read. `--no-keyring` selects the file for one command, `GATEWAY_KEYRING=off` for all commands.',
    'Long commands show a progress bar in a terminal and print a line at intervals where stderr is a file; with `--quiet` or in a document format they show nothing. Ctrl-C stops a command between two steps: finished steps are kept, stderr reports how many there were, and the exit code is 130. With the access token of an ordinary user, lists of API tokens, log entries, tasks and image tasks contain only the rows of that user.',
    '`gateway completion bash --install` (or zsh, fish, powershell) completes commands, flags, their values and the names of the site. It caches these names for a minute.',
    '## Flags for every command',
    table(
      ['Flag', 'Meaning'],
      GLOBAL_FLAGS.map((flag) => flagRow('', flag)),
    ),
    '## Exit status',
    table(
      ['Code', 'Meaning'],
      Object.entries(EXIT_TEXTS).map(([name, text]) => [String(codeOf(name)), text]),
    ),
    '[errors.md](errors.md) lists every error with its exit status and what to do about it.',
    ...NOUNS.flatMap(sectionOf),
  ]
    .join('\n\n')
    .concat('\n');
}

function codeOf(name: string): number | undefined {
  return Object.entries(EXIT).find(([key]) => key === name)?.[1];
}

function sectionOf(noun: Noun): string[] {
  const { name, verbs } = noun;
  const [only] = verbs;
  if (verbs.length === 1 && only !== undefined && wordOf(only.usage) === name) {
    return [`## gateway ${name}`, ...bodyOf(noun, only, t(`cli.commands.${name}._`, DESCRIBED))];
  }
  return [
    `## gateway ${name}`,
    `${t(`cli.commands.${name}._`, DESCRIBED)}${pluralOf(noun) === undefined ? '' : ` Also \`gateway ${pluralOf(noun)}\`.`}`,
    ...verbs.flatMap((verb) => {
      const word = wordOf(verb.usage);
      const text = t(`cli.commands.${name}.${word}`, DESCRIBED);
      return [`### gateway ${name} ${word}`, ...bodyOf(noun, verb, text)];
    }),
  ];
}

function bodyOf(noun: Noun, command: Command, text: string): string[] {
  const { usage, flags, examples } = command;
  const path = wordOf(usage) === noun.name ? [] : [noun.name];
  const typed = ['gateway', ...path, usage].join(' ');
  const aliases = aliasesOf(noun, command).map((alias) => `\`${alias}\``);
  const also = aliases.length === 0 ? '' : ` Also ${aliases.join(', ')}.`;
  const lines = examples.map((example) => ['gateway', ...path, example].join(' '));
  return [
    `${text} \`${typed}\`${also}`,
    ['```sh', ...lines, '```'].join('\n'),
    ...(flags.length > 0
      ? [
          table(
            ['Flag', 'Meaning'],
            flags.map((flag) => flagRow(noun.name, flag)),
          ),
        ]
      : []),
  ];
}

function flagRow(noun: string, flag: string): [string, string] {
  return [`\`${flag}\``, t(flagTextKey(noun, flag, (key) => hasText(key, 'en')))];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
