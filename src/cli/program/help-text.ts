/** Formats the help: description, examples, flags. */
import type { Help, Command as Program } from 'commander';
import stringWidth from 'string-width';
import { CLIENTS } from '../../domain/coding-clients.ts';
import { hasText, type Translate } from '../../locales/text.ts';
import type { Cli } from '../cli.ts';
import { flagTextKey } from './global-flags.ts';

/** The "Examples" section of a command's help. */
export const examplesOf = new WeakMap<Program, readonly string[]>();

/** Values that descriptions name. */
export const DESCRIBED = { clients: CLIENTS };

/** Commands for getting started; `gateway` alone lists these, `gateway --help` all. */
const FIRST_COMMANDS = [
  'setup',
  'serve',
  'status',
  'doctor',
  'channel create',
  'channel test',
  'price set',
  'token create',
  'token snippet',
  'run',
  'log tail',
] as const;

export function formatHelp(command: Program, helper: Help, cli: Cli): string {
  const { t, paint } = cli;
  const { width } = cli.io;
  const examples = examplesOf.get(command) ?? (command.parent ? [] : [t('cli.help.root_example')]);
  const options = helper.visibleOptions(command);
  const commands = helper.visibleCommands(command);
  const part = (key: string, rows: Rows) => section(paint.bold(t(`cli.help.${key}`)), rows, width);
  const texts = options.map(({ flags }) => [flags, flagText(flags, command, cli)] as const);
  const sections = [
    [descriptionOf(command, t)],
    part('examples', examples.map(withoutText)),
    part('usage', [withoutText(usageOf(command))]),
    part(
      'commands',
      commands.map((child) => [child.name(), descriptionOf(child, t)]),
    ),
    part(command.parent ? 'flags' : 'global_flags', texts),
    command.parent ? [paint.dim(t('cli.help.more_flags'))] : [],
  ];
  const filled = sections.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function flagText(flag: string, command: Program, { t, language }: Cli): string {
  const [, noun = ''] = pathOf(command);
  return t(flagTextKey(noun, flag, (key) => hasText(key, language)));
}

/** The output of `gateway` without arguments. */
export function firstHelp({ t, paint, io: { width } }: Cli): string {
  const rows = FIRST_COMMANDS.map((path): [string, string] => [
    path,
    t(textKey(path.split(' ')), DESCRIBED),
  ]);
  const first = section(paint.bold(t('cli.help.first')), rows, width);
  const lines = [t(textKey([])), '', ...first, '', t('cli.help.first_more')];
  return `${lines.join('\n')}\n`;
}

/** The command `help`, which has no place in the program, brings its own text. */
function descriptionOf(command: Program, t: Translate): string {
  const [, ...path] = pathOf(command);
  return command.description() || t(textKey(path), DESCRIBED);
}

/** A noun has a text beside those of its verbs. */
function textKey(path: readonly string[]): string {
  return ['cli.commands', ...path, ...(path.length < 2 ? ['_'] : [])].join('.');
}

/** `gateway token edit <token> [flags]`. */
function usageOf(command: Program): string {
  const args = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const verb = command.commands.length > 0 ? ['<command>'] : [];
  return [...pathOf(command), ...verb, ...args, '[flags]'].join(' ');
}

/** `['gateway', 'token', 'edit']` */
function pathOf(command: Program): string[] {
  const names: string[] = [];
  for (let at: Program | null = command; at; at = at.parent) names.unshift(at.name());
  return names;
}

type Rows = readonly (readonly [string, string])[];

function withoutText(term: string): [string, string] {
  return [term, ''];
}

function section(title: string, rows: Rows, width: number): string[] {
  if (rows.length === 0) return [];
  const termWidth = Math.max(...rows.map(([term]) => term.length));
  const indent = ' '.repeat(termWidth + 4);
  return [
    title,
    ...rows.flatMap(([term, text]) => {
      const [first = '', ...more] = wrapped(text, width - indent.length);
      return [
        `  ${term.padEnd(termWidth)}  ${first}`.trimEnd(),
        ...more.map((line) => indent + line),
      ];
    }),
  ];
}

/** A space, a word or a Chinese character, with the punctuation that must not be apart from it. */
const PIECE =
  /\s+|[（“]*(?:\p{Script=Han}|[^\s\p{Script=Han}，。、；：（）“”]+)[，。、；：）”]*|./gu;

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [piece] of text.matchAll(PIECE)) {
    if (stringWidth((line + piece).trimEnd()) <= width) {
      line += piece;
      continue;
    }
    if (line !== '') lines.push(line.trimEnd());
    line = piece.trimStart();
  }
  return [...lines, line.trimEnd()];
}
