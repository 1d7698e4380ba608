/** Computes completion candidates for a partial command line. Pure except for looking up names. */

import { CHANNEL_HEALTHS } from '../../domain/channels/channel-health.ts';
import { TAG_ACTIONS } from '../../domain/channels/tag-actions.ts';
import { CLIENTS } from '../../domain/coding-clients.ts';
import { REDEMPTION_STATES } from '../../domain/redemption-state.ts';
import { SNIPPETS } from '../../session/snippets.ts';
import { type Command, type Noun, wordOf } from '../command.ts';
import { FORMATS } from '../output/render-reply.ts';
import { aliasesOf, pluralOf } from '../program/aliases.ts';
import { GLOBAL_FLAGS } from '../program/global-flags.ts';

/** Kinds of objects that are named on the command line. */
export const NAME_KINDS = [
  'channel',
  'token',
  'user',
  'group',
  'redemption',
  'message',
  'option',
  'model',
  'tag',
  'type',
  'profile',
] as const;
export type NameKind = (typeof NAME_KINDS)[number];

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** Names from the site or fixed words; absent for free text and files. */
type Source = NameKind | readonly string[];

/** By placeholder in a usage; `<name>` refers to the noun itself. */
const ARGUMENTS: Readonly<Record<string, Source>> = {
  channel: 'channel',
  channels: 'channel',
  token: 'token',
  user: 'user',
  code: 'redemption',
  message: 'message',
  model: 'model',
  key: 'option',
  tag: 'tag',
  type: 'type',
  shell: SHELLS,
  client: CLIENTS,
  action: TAG_ACTIONS,
};

/** Nouns whose `<name>` argument refers to an existing object. */
const NAMES_OF_NOUN: Readonly<Record<string, NameKind>> = { group: 'group', config: 'profile' };

const FLAG_VALUES: Readonly<Record<string, Source>> = {
  '--channel': 'channel',
  '--token': 'token',
  '--user': 'user',
  '--to': 'user',
  '--group': 'group',
  '--groups': 'group',
  '--to-group': 'group',
  '--model': 'model',
  '--models': 'model',
  '--test-model': 'model',
  '--tag': 'tag',
  '--profile': 'profile',
  '--output': FORMATS,
  '-o': FORMATS,
  '--for': SNIPPETS,
  '--auto-ban': ['on', 'off'],
};

/** Values of flags whose meaning depends on the noun. */
const FLAG_VALUES_OF: Readonly<Record<string, Readonly<Record<string, Source>>>> = {
  channel: {
    '--type': 'type',
    '--status': ['on', 'off', 'auto'],
    '--health': CHANNEL_HEALTHS,
    '--sort': ['priority', 'id', 'failing_since'],
    '--until': ['healthy', 'failing'],
  },
  user: { '--role': ['user', 'admin', 'super_admin'], '--status': ['enabled', 'banned'] },
  token: { '--status': ['enabled', 'disabled', 'expired', 'exhausted'] },
  redemption: { '--status': REDEMPTION_STATES },
  log: {
    '--type': ['topup', 'consume', 'admin', 'system', 'error'],
    '--by': ['model', 'day', 'user', 'channel', 'token'],
    '--format': ['csv', 'jsonl'],
  },
  message: { '--format': ['markdown', 'html'] },
  setup: { '--mode': ['external', 'self', 'demo'] },
};

/**
 * @param words the words after `gateway`; the last one is being typed and may be empty.
 * @param names returns the names of one kind; may query the site.
 */
export async function candidates(
  nouns: readonly Noun[],
  words: readonly string[],
  names: (kind: NameKind) => Promise<readonly string[]>,
): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1).filter((word) => word !== '=');
  const all = await allCandidates(nouns, before, current, names);
  return [...new Set(all)].filter((word) => word.startsWith(current));
}

async function allCandidates(
  nouns: readonly Noun[],
  before: readonly string[],
  current: string,
  names: (kind: NameKind) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const open = before.at(-1) ?? '';
  const [nounWord, ...rest] = typedWords(nouns, before);
  const noun = nouns.find(
    (each) => each.name === nounWord || otherNames(each).includes(nounWord ?? ''),
  );
  const listed = (source: Source | undefined) =>
    typeof source === 'string' ? names(source) : (source ?? []);
  if (takesValue(nouns, open))
    return listed(FLAG_VALUES_OF[noun?.name ?? '']?.[open] ?? FLAG_VALUES[open]);
  if (nounWord === undefined)
    return current.startsWith('-') ? LONG_GLOBALS : [...nouns.map(({ name }) => name), 'help'];
  if (nounWord === 'help') return rest.length === 0 ? nouns.map(({ name }) => name) : [];
  if (noun === undefined) return [];
  const { command, args } = commandOf(noun, rest);
  if (command === undefined)
    return current.startsWith('-') ? LONG_GLOBALS : noun.verbs.map(({ usage }) => wordOf(usage));
  if (current.startsWith('-')) return [...longFlags(command.flags), ...LONG_GLOBALS];
  const values = await listed(sourceOf(noun, command, args.length));
  // When no more arguments are possible, offer the flags.
  return values.length === 0 && !takesFile(command, args.length)
    ? longFlags(command.flags)
    : values;
}

/** The plural of a noun, or the aliases of a command without verbs. */
function otherNames(noun: Noun): readonly string[] {
  const own = noun.verbs.find(({ usage }) => wordOf(usage) === noun.name);
  return own === undefined ? [pluralOf(noun) ?? noun.name] : aliasesOf(noun, own);
}

const LONG_GLOBALS = longFlags(GLOBAL_FLAGS);

function longFlags(flags: readonly string[]): string[] {
  return flags.flatMap((flag) => /--[a-z0-9-]+/.exec(flag)?.[0] ?? []);
}

/** The words without flags and their values. */
function typedWords(nouns: readonly Noun[], words: readonly string[]): string[] {
  return words.filter(
    (word, index) => !word.startsWith('-') && !takesValue(nouns, words[index - 1] ?? ''),
  );
}

function takesValue(nouns: readonly Noun[], word: string): boolean {
  if (!word.startsWith('-')) return false;
  const flags = [
    ...GLOBAL_FLAGS,
    ...nouns.flatMap(({ verbs }) => verbs.flatMap((verb) => verb.flags)),
  ];
  return flags.some((flag) => flag.includes('<') && flag.split(/[ ,]+/).includes(word));
}

function commandOf(noun: Noun, [word, ...rest]: readonly string[]) {
  const { name, verbs } = noun;
  const [only] = verbs;
  if (only !== undefined && verbs.length === 1 && wordOf(only.usage) === name)
    return { command: only, args: word === undefined ? [] : [word, ...rest] };
  if (word === undefined) return { command: undefined, args: [] };
  const command = verbs.find(
    (verb) => wordOf(verb.usage) === word || aliasesOf(noun, verb).includes(word),
  );
  return { command, args: rest };
}

function argumentAt({ usage }: Command, index: number): string {
  const given = usage.split(' ').slice(1);
  const last = given.at(-1) ?? '';
  return given[index] ?? (last.includes('...') ? last : '');
}

function sourceOf({ name }: Noun, command: Command, index: number): Source | undefined {
  const argument = argumentAt(command, index).replace(/[<>[\].]/g, '');
  if (name === 'config' && argument !== 'name') return undefined;
  if (name === 'channel' && argument === 'values') return 'channel';
  return argument === 'name' ? NAMES_OF_NOUN[name] : ARGUMENTS[argument];
}

function takesFile(command: Command, index: number): boolean {
  return /file|value|prompt/.test(argumentAt(command, index));
}
