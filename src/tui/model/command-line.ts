/** Parses the command line (`:`). */
import { isLanguage, LANGUAGES, type Language } from '../../domain/languages.ts';
import { similarNames } from '../../domain/text/similar-names.ts';
import { LIST_NAMES, type ListName, SCREEN_NAMES, type ScreenName } from '../screens/screen.ts';

export type TypedCommand =
  | { readonly kind: 'open'; readonly screen: ScreenName; readonly filter: string | undefined }
  | { readonly kind: 'language'; readonly language: Language }
  /** Equivalent to pressing the key. */
  | { readonly kind: 'key'; readonly key: string };

/** Singular forms also work: `:user alice`. */
const SCREEN_WORDS: Readonly<Record<string, ScreenName>> = {
  ...Object.fromEntries(SCREEN_NAMES.map((name) => [name, name])),
  dash: 'dashboard',
  channel: 'channels',
  token: 'tokens',
  user: 'users',
  log: 'logs',
  code: 'codes',
  redemptions: 'codes',
  option: 'options',
};

const KEY_WORDS: Readonly<Record<string, string>> = {
  quit: 'q',
  q: 'q',
  help: '?',
  keys: '?',
  messages: 'm',
  pause: 'p',
  refresh: 'r',
  columns: 'c',
  browser: 'o',
};

export function parseCommand(text: string): TypedCommand | undefined {
  const [word = '', ...rest] = text.trim().split(/\s+/u);
  const screen = SCREEN_WORDS[word];
  if (screen !== undefined)
    return { kind: 'open', screen, filter: rest.length === 0 ? undefined : rest.join(' ') };
  const [language] = rest;
  if (word === 'lang') return isLanguage(language) ? { kind: 'language', language } : undefined;
  const key = KEY_WORDS[word];
  return key === undefined || rest.length > 0 ? undefined : { kind: 'key', key };
}

/** The words of commands that look like the first word of `text`. */
export function similarCommands(text: string): string[] {
  const [word = ''] = text.trim().split(/\s+/u);
  const words = [...Object.keys(SCREEN_WORDS), 'lang', ...Object.keys(KEY_WORDS)];
  return similarNames(word, words).filter((name) => name !== word);
}

/**
 * Completes the last word as far as it is unambiguous, and lists its candidates.
 * @param fieldsOf the filter fields of a list
 */
export function completeCommand(
  text: string,
  fieldsOf: (list: ListName) => readonly string[],
): { readonly text: string; readonly choices: readonly string[] } {
  const head = /^(.*\s)?/u.exec(text)?.[0] ?? '';
  const begun = text.slice(head.length);
  const choices = wordsAfter(head.trim(), fieldsOf).filter((word) => word.startsWith(begun));
  const [only] = choices;
  if (only === undefined) return { text, choices };
  if (choices.length > 1) return { text: head + shared(choices), choices };
  return { text: head + only + (only.endsWith(':') ? '' : ' '), choices };
}

function wordsAfter(head: string, fieldsOf: (list: ListName) => readonly string[]) {
  if (head === '') return [...SCREEN_NAMES, 'lang', ...Object.keys(KEY_WORDS)];
  const [word = ''] = head.split(/\s+/u);
  if (word === 'lang') return LANGUAGES;
  const list = LIST_NAMES.find((name) => name === SCREEN_WORDS[word]);
  return list === undefined ? [] : fieldsOf(list).map((field) => `${field}:`);
}

/** The common prefix. */
function shared(words: readonly string[]): string {
  const [first = ''] = words;
  let length = first.length;
  while (!words.every((word) => word.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
