/** Generates `docs/cli.md` from the command tree, so that both always agree. */
import { hasText, translator } from '../../locales/text.ts';
import { type Command, type Noun, wordOf } from '../command.ts';
import { NOUNS } from '../commands/all-commands.ts';
import { EXIT } from '../process/exit-codes.ts';
import { flagTextKey, GLOBAL_FLAGS } from './global-flags.ts';

const t = translator('en');

const EXIT_TEXTS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done',
  failed: 'failed',
  usage: 'used wrongly, or an input is missing',
  config: 'configuration, secret key or schema does not fit',
  denied: 'not signed in, or not allowed',
  missing: 'not found',
  refused: 'refused by validation, or in conflict with what is there',
  unreachable: 'database or server does not answer',
  partly: 'partly done',
  checkFailed: 'a check failed',
  waitRanOut: 'the wait ran out',
  interrupted: 'interrupted',
  outputClosed: 'the reader of stdout left before the end, as `| head` does',
};

export function cliMarkdown(): string {
  return [
    '# The `gateway` command',
    'Printed by `npx tsx src/cli/print-docs.ts`; a test compares the two.',
    'Data goes to stdout, everything said to a person to stderr. At a terminal lists are tables; into a pipe they are tab-separated lines without a header. In documents (`json`, `jsonl`, `yaml`, `csv`) amounts are quota units with a twin `<name>_usd`, times are ISO 8601 in UTC with a twin `<name>_epoch` in seconds, and numbers that stand for a word have a twin `<name>_word`.',
    'Commands work on the database of this machine, whether the server runs or not, and act as super admin. A running server applies a change, such as a disabled channel, token or user, at once if it uses the same data folder or Redis, or if the command goes to it with `--url`; else within half a second. With `--json` an error is `{"error":{"code","message","status","hint"}}` on stderr. Language: `GATEWAY_LANG`, else `LC_ALL`, `LC_MESSAGES`, `LANG`; Chinese when it starts with `zh`, else English.',
    '`gateway login` keeps its access token in the keyring of the system where there is one, else in the file that `gateway config path` names, which only its owner may read; `--no-keyring`, or `GATEWAY_KEYRING=off` for good, always takes the file.',
    'Long work shows a bar at a terminal, a line now and then where stderr is kept, and nothing with `--quiet` or for programs. Ctrl-C ends it between two pieces: what was done stays, stderr says how much, and the status is 130. With an access token of a user who is no admin, lists of tokens, logs, tasks and drawings are about the own account.',
    '`gateway completion bash --install` (zsh, fish, powershell) completes commands, flags, their values and the names of the site, which are kept for a minute.',
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
    ...NOUNS.flatMap(sectionOf),
  ]
    .join('\n\n')
    .concat('\n');
}

function codeOf(name: string): number | undefined {
  return Object.entries(EXIT).find(([key]) => key === name)?.[1];
}

function sectionOf({ name, verbs }: Noun): string[] {
  const [only] = verbs;
  if (verbs.length === 1 && only !== undefined && wordOf(only.usage) === name) {
    return [`## gateway ${name}`, ...bodyOf(only, [], t(`cli.commands.${name}._`))];
  }
  return [
    `## gateway ${name}`,
    t(`cli.commands.${name}._`),
    ...verbs.flatMap((verb) => {
      const word = wordOf(verb.usage);
      const text = t(`cli.commands.${name}.${word}`);
      return [`### gateway ${name} ${word}`, ...bodyOf(verb, [name], text)];
    }),
  ];
}

function bodyOf(
  { usage, alias, flags, examples }: Command,
  path: string[],
  text: string,
): string[] {
  const typed = ['gateway', ...path, usage].join(' ');
  const noun = path[0] ?? wordOf(usage);
  const also = alias === undefined ? '' : ` Also \`${alias}\`.`;
  const lines = examples.map((example) => ['gateway', ...path, example].join(' '));
  return [
    `${text} \`${typed}\`${also}`,
    ['```sh', ...lines, '```'].join('\n'),
    ...(flags.length > 0
      ? [
          table(
            ['Flag', 'Meaning'],
            flags.map((flag) => flagRow(noun, flag)),
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
