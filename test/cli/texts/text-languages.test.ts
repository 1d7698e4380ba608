import { expect, test } from 'vitest';
import { AppError, ERRORS, type ErrorCode } from '../../../src/domain/errors/errors.ts';
import en from '../../../src/locales/en.json' with { type: 'json' };
import paramsOf from '../../../src/locales/error-params.json' with { type: 'json' };
import { errorText, hintText } from '../../../src/locales/text.ts';
import zh from '../../../src/locales/zh.json' with { type: 'json' };

const CODES = Object.keys(ERRORS) as ErrorCode[]; // the table's own keys
const PARAMS: Readonly<Record<string, readonly string[]>> = paramsOf;

const NPM_INSTALL = 'npm install --global --allow-scripts=sqlite3 ai-model-gateway';
/** What existing clients compare, and commands of other programs. */
const ENGLISH_IN_CHINESE = ['Key-level rate limit exceed.', 'openssl rand -base64 32', NPM_INSTALL];
/** A command with its arguments, which is the same in every language. */
const COMMAND = /gateway(?: [\w-]+| <\w+>)+/g;
const ENGLISH_WORDS = /(?<![\w.:/@=<\-"])[a-z]{3,}(?: [a-z]{2,})+/g;
/** Of the library that checks inputs: its texts are not for readers. */
const SCHEMA_WORDS = /expected \w+|received \w+|invalid_type|invalid input|too_small|unrecognized/i;

function textsIn(node: object, path = ''): [string, string][] {
  return Object.entries(node).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : textsIn(value, `${path}${key}.`),
  );
}

function englishIn(chinese: string): string[] {
  const own = ENGLISH_IN_CHINESE.reduce((text, known) => text.replaceAll(known, ''), chinese);
  return (
    own
      .replaceAll(/\{\{\w+\}\}/g, '0')
      .replaceAll(COMMAND, '')
      .match(ENGLISH_WORDS) ?? []
  );
}

test('no English text has Chinese characters', () => {
  const mixed = textsIn(en).filter(([, text]) => /\p{Script=Han}/u.test(text));
  expect(mixed).toEqual([]);
});

test('no Chinese text has English words beside names and commands', () => {
  const mixed = textsIn(zh).filter(([, text]) => englishIn(text).length > 0);
  expect(mixed).toEqual([]);
});

test('Chinese texts call an account 账号', () => {
  expect(textsIn(zh).filter(([, text]) => text.includes('账户'))).toEqual([]);
});

/** Texts that end with a value, with a command, or as existing clients compare them. */
const OPEN_END = /\}\}\??$|^ or $|[`>!]$|--quota <units>$|^Invalid URL|^Upstream error with/;

test('errors, hints and usage errors end in one way: with a period in English, with 。 in Chinese only after several sentences', () => {
  const ends = (texts: object) => Object.entries<string>({ ...texts });
  const english = [...ends(en.errors), ...ends(en.hints), ...ends(en.cli.usage)].filter(
    ([, text]) => !text.endsWith('.') && !OPEN_END.test(text),
  );
  expect(english).toEqual([]);
  const chinese = [...ends(zh.errors), ...ends(zh.hints), ...ends(zh.cli.usage)].filter(
    ([, text]) => !OPEN_END.test(text) && text.endsWith('。') !== text.slice(0, -1).includes('。'),
  );
  expect(chinese).toEqual([]);
});

test.each(CODES)('%s is a sentence of one language, with all parameters', (code) => {
  const params = Object.fromEntries((PARAMS[code] ?? []).map((name) => [name, '7']));
  const error = new AppError(code, params);
  const [english, chinese] = [sentence(error, 'en'), sentence(error, 'zh')];
  expect(english).not.toMatch(/\p{Script=Han}/u);
  expect(englishIn(chinese)).toEqual([]);
  for (const text of [english, chinese]) {
    expect(text).not.toMatch(SCHEMA_WORDS);
    expect(text).not.toMatch(/\{\{|\}\}|undefined|\[object/);
  }
  // A missing parameter is shown as `?`: there are no more than the texts themselves have.
  expect(marksIn(english)).toBe(marksIn(rawOf(en, code)));
});

function sentence(error: AppError, language: 'en' | 'zh'): string {
  return `${errorText(error, language)} ${hintText(error, language) ?? ''}`;
}

type Texts = Readonly<Record<string, string | undefined>>;

function rawOf(texts: { readonly errors: Texts; readonly hints: Texts }, code: string): string {
  return `${texts.errors[code]} ${texts.hints[code] ?? ''}`;
}

function marksIn(text: string): number {
  return text.split('?').length;
}
