/**
 * Builds the commander program from rows of `commands/`; commander parses and prints the help. The help finds
 * the texts itself: looking up hundreds of them would slow down the start of every command.
 */
import { Command as Program } from 'commander';
import { VERSION } from '../../version.ts';
import type { Cli } from '../cli.ts';
import { type Command, type Noun, wordOf } from '../command.ts';
import type { Globals } from '../command-context.ts';
import { aliasesOf, pluralOf } from './aliases.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { examplesOf, formatHelp } from './help-text.ts';

/** Runs a parsed command; see `run.ts`. */
export type Runner = (command: Command, input: Readonly<Record<string, unknown>>) => Promise<void>;

/**
 * @param argv the arguments, if known: nouns that they do not name get no verbs, of which most of the program
 *   consists
 */
export function createProgram(
  cli: Cli,
  nouns: readonly Noun[],
  runner: Runner,
  argv?: readonly string[],
): Program {
  const { io, t } = cli;
  const program = new Program('gateway')
    .helpOption('-h, --help')
    .helpCommand('help [command]', t('cli.commands.help._'))
    .version(VERSION, '-V, --version')
    .configureHelp({ formatHelp: (command, helper) => formatHelp(command, helper, cli) })
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
      // Printed by `run.ts`, in the user's language and format.
      outputError: () => undefined,
    })
    .exitOverride();
  for (const flag of GLOBAL_FLAGS) addFlag(program, flag, cli);
  program.hook('preAction', () => {
    cli.globals = program.opts<Globals>();
  });
  for (const noun of nouns) {
    const names = [noun.name, pluralOf(noun)];
    const isNamed = argv === undefined || argv.some((word) => names.includes(word));
    addNoun(program, noun, { cli, runner, isNamed });
  }
  return program;
}

/** How many verb examples the help of a noun shows. */
const EXAMPLES_OF_NOUN = 4;

interface Building {
  readonly cli: Cli;
  readonly runner: Runner;
}

function addNoun(
  program: Program,
  noun: Noun,
  { isNamed, ...building }: Building & { readonly isNamed: boolean },
): void {
  const { name, verbs } = noun;
  const plural = pluralOf(noun);
  const [only] = verbs;
  if (verbs.length === 1 && only !== undefined && wordOf(only.usage) === name) {
    addCommand(program, noun, only, building);
    return;
  }
  const parent = program.command(name).helpCommand(false);
  if (plural !== undefined) parent.alias(plural);
  if (!isNamed) return;
  for (const verb of verbs) addCommand(parent, noun, verb, building);
  const firsts = verbs.slice(0, EXAMPLES_OF_NOUN).flatMap(({ examples }) => examples.slice(0, 1));
  const examples = firsts.map((example) => `gateway ${name} ${example}`);
  examplesOf.set(parent, examples);
}

function addCommand(parent: Program, noun: Noun, row: Command, { cli, runner }: Building): void {
  const path = parent.parent === null ? [] : [noun.name];
  const child = parent.command(row.usage);
  for (const alias of aliasesOf(noun, row)) child.alias(alias);
  for (const flag of row.flags) addFlag(child, flag, cli);
  const examples = row.examples.map((example) => ['gateway', ...path, example].join(' '));
  examplesOf.set(child, examples);
  child.action(() => runner(row, inputOf(child)));
}

/** commander takes the last of two values, but the first may be the one that was meant. */
function addFlag(program: Program, flag: string, { values }: Cli): void {
  const option = program.createOption(flag);
  program.addOption(option);
  if (!option.required) return;
  let isGiven = false;
  program.on(`option:${option.name()}`, () => {
    if (isGiven) throw values.refuse(option.long ?? flag, 'given_twice');
    isGiven = true;
  });
}

function inputOf(command: Program): Record<string, unknown> {
  const names = command.registeredArguments.map((argument) => argument.name());
  const given = names.map((name, index) => [name, command.processedArgs[index]]);
  return { ...Object.fromEntries(given), ...command.opts() };
}
