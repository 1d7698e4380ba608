import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/domain/languages.ts';

const SOURCES = fileURLToPath(new URL('../../web/src', import.meta.url));
const LOCALES = join(SOURCES, 'locales');
const FILES = readdirSync(join(LOCALES, 'zh')).sort();
/** Compared with Chinese, the fallback. */
const OTHERS = LANGUAGES.filter((language) => language !== 'zh');

const code = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }));
const allCode = code.map(({ text }) => text).join('\n');

function texts(language: string, file: string): Map<string, string> {
  return new Map([...allTexts(language, file)].filter(([key]) => !key.endsWith('_one')));
}

/** With the singular forms of English. */
function allTexts(language: string, file: string): Map<string, string> {
  return new Map(
    Object.entries<string>(JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8'))),
  );
}

function placeholders(text: string | undefined): string[] {
  return [...(text ?? '').matchAll(/{{(\w+)}}/g)].map(([, name = '']) => name).sort();
}

test.each(OTHERS)('%s has the same files as Chinese', (language) => {
  expect(readdirSync(join(LOCALES, language)).sort()).toEqual(FILES);
});

test.each(FILES)('%s has the same texts and placeholders in every language', (file) => {
  const zh = texts('zh', file);
  for (const other of OTHERS.map((language) => texts(language, file))) {
    expect([...other.keys()].sort()).toEqual([...zh.keys()].sort());
    for (const [key, text] of zh)
      expect(placeholders(other.get(key)), key).toEqual(placeholders(text));
    for (const [key, text] of [...zh, ...other]) expect(text.trim(), key).not.toBe('');
  }
});

/** A number before a noun in the plural; speeds such as "{{count}} tokens/s" are written so for any number. */
const PLURAL =
  /\{\{count\}\} (?:\w+ ){0,2}\w+s\b(?!\/)|\{\{\w+\}\} (?:calls|days|hours|matches|minutes|requests|units|users)\b/;

/** Their number is a constant above one. */
const ALWAYS_SEVERAL = ['wallet.spentLately', 'pricing.calc.note'];

test.each(FILES)('an English text of %s with a count and a plural has a singular', (file) => {
  const all = allTexts('en', file);
  const plurals = [...texts('en', file)].filter(
    ([key, text]) => PLURAL.test(text) && !ALWAYS_SEVERAL.includes(key),
  );
  expect(plurals.map(([key]) => key).filter((key) => !all.has(`${key}_one`))).toEqual([]);
  const singulars = [...all.keys()].filter((key) => key.endsWith('_one'));
  expect(singulars.filter((key) => !all.has(key.slice(0, -4)))).toEqual([]);
});

test.each(FILES.filter((file) => file !== 'core.json'))(
  'every key of %s begins with its name',
  (file) => {
    const start = file.replace('.json', '.');
    expect([...texts('zh', file).keys()].filter((key) => !key.startsWith(start))).toEqual([]);
  },
);

test.each(FILES)('every text of %s is used', (file) => {
  // The end of a key may be dynamic: t(`status.state.${state}`).
  const beginnings = [...allCode.matchAll(/`([a-z][\w.]*\.)\$\{/gi)].map(([, start = '']) => start);
  const unused = [...texts('zh', file).keys()].filter(
    (key) => !allCode.includes(`'${key}'`) && !beginnings.some((start) => key.startsWith(start)),
  );
  expect(unused).toEqual([]);
});

test.each(FILES)('texts of %s call an account 账号', (file) => {
  expect([...texts('zh', file)].filter(([, text]) => text.includes('账户'))).toEqual([]);
});

test('the code contains no Chinese text except the name of the language', () => {
  const found = code.flatMap(({ path, text }) =>
    [...text.matchAll(/\p{Script=Han}+/gu)].map(([words]) => `${path}: ${words}`),
  );
  expect(found).toEqual([`${join('lib', 'text', 'texts.ts')}: 中文`]);
});

/** Visible or spoken attributes and text between tags: both belong in the locale files. */
const SPOKEN =
  /(?:aria-label|title|label|placeholder|description|alt)="([^"{}]*\p{L}{2}[^"{}]*)"/gu;
/** A sentence in a component: a capitalised word and more words directly after a tag. */
const WRITTEN = /<[A-Z][\w.]*(?:\s[^<>{}]*)?>\s*([A-Z][a-z]+(?: [a-z]+)+[^<>{}]*)</g;

/** An address or a key prefix, which is the same in every language. */
const SAMPLE = /^\S*[-:/.…]\S*$/;

test('components hold no English sentence', () => {
  const found = code
    .filter(({ path }) => path.endsWith('.tsx'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(SPOKEN), ...text.matchAll(WRITTEN)]
        .filter(([, words = '']) => !SAMPLE.test(words))
        .map(([, words]) => `${path}: ${words}`),
    );
  expect(found).toEqual([]);
});

/** Folders whose texts have another name. */
const TEXTS_OF: Readonly<Record<string, string>> = {
  budgets: 'budget',
  channels: 'channel',
  messages: 'message',
  redemptions: 'redemption',
  settings: 'setting',
  users: 'user',
  'sign-in': 'signIn',
};

test('code uses only texts that its page loads: those of its feature, and the core', () => {
  const features = FILES.map((file) => file.replace('.json', '')).filter((name) => name !== 'core');
  const owners = new Map(
    features.flatMap((name) => [...texts('zh', `${name}.json`).keys()].map((key) => [key, name])),
  );
  // The end of a key may be dynamic.
  const ownersOf = (key: string) =>
    [...owners].flatMap(([one, name]) =>
      one === key || (key.endsWith('.') && one.startsWith(key)) ? name : [],
    );
  const foreign = code.flatMap(({ path, text }) => {
    const [top = '', folder = ''] = path.split(/[\\/]/);
    const own = top === 'features' ? (TEXTS_OF[folder] ?? folder) : '';
    const lines = text.replace(/^\s*\*.*$/gm, '');
    const keys = [...lines.matchAll(/['`](\w+\.[\w.]+)(?:'|\$\{)/g)].map(([, key = '']) => key);
    return keys
      .filter((key) => ownersOf(key).some((name) => name !== own))
      .map((key) => `${path}: ${key}`);
  });
  expect(foreign).toEqual([]);
});
