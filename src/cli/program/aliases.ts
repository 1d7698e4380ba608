/** Further names of commands, for all nouns. */
import { type Command, type Noun, wordOf } from '../command.ts';

/** By verb or by command without verbs; a noun that has a verb of such a name keeps it. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  get: ['show'],
  create: ['add', 'new'],
  edit: ['update'],
  delete: ['rm', 'remove'],
  tui: ['top'],
};

export function aliasesOf({ name, verbs }: Noun, command: Command): readonly string[] {
  const word = wordOf(command.usage);
  const taken = verbs.map(({ usage }) => wordOf(usage));
  return word === name || taken.includes(word)
    ? (WORDS[word] ?? []).filter((alias) => !taken.includes(alias))
    : [];
}

/** The plural of a noun with verbs. */
export function pluralOf({ name, verbs }: Noun): string | undefined {
  return verbs.some(({ usage }) => wordOf(usage) === 'list') ? `${name}s` : undefined;
}
