/**
 * Checks that exported names and texts (documentation, comments, English texts of console and
 * command line, test titles) use the terms of docs/glossary.md and docs/style.md, and not the words
 * that these replaced.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Whole words of an exported name, with the term to use instead. Add a word once no name has it. */
const RETIRED: Readonly<Record<string, string>> = {
  books: 'ledger',
  bond: 'sticky assignment',
  desk: 'deps',
  drawings: 'image tasks',
  prove: 'sign',
  proven: 'sign',
  roomy: 'withinInputLimit, chooseWithCapacity',
  share: 'permit',
  shares: 'permits',
  soon: 'settleWithin',
};

const EXPORT =
  /^export (?:abstract )?(?:async )?(?:type|interface|class|function\*?|const) (\w+)/gm;
const COMMENT = /\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** Names in backticks, as comments and documentation mention code. */
const CODE_NAME = /`([A-Za-z]\w*)`/g;
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md'];

function wordsOf(name: string): string[] {
  return name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
}

function retiredIn(name: string): string[] {
  return wordsOf(name).filter((word) => Object.hasOwn(RETIRED, word));
}

/** Phrases of texts, with what to write instead. Add a phrase once no text has it. */
const RETIRED_PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:somebody|nobody|whoever|whosoever)\b/i, 'the user, the client, another administrator'],
  [/\bthe (?:books?|house)\b/i, 'the ledger, the gateway'],
  [/\b(?:am|are|be|is|was|were) told\b(?! apart| from)/i, 'receives, is informed'],
  [/\b(?:ask|asks|asked) on\b/i, 'continues, asks again'],
  [/\btells? of (?:itself|themselves)\b/i, 'reports'],
  [/\bwhatever (?:it|those|these|they) (?:says?|speaks?)\b/i, 'any format'],
  [/\bgives? back (?:shares|permits)\b/i, 'releases'],
  [/\brooms? of (?:the )?(?:gateway|code|house|source)\b/i, 'modules'],
];

const TITLE =
  /\b(?:test|it|describe)(?:\.\w+(?:\([^()]*(?:\([^()]*\))?[^()]*\))?)?\(\s*(['"`])(.+?)\1/g;
const CODE = /```[\s\S]*?```|`[^`]*`/g;

function textsIn(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) return source.replaceAll(CODE, '').split('\n\n');
  if (file.endsWith('.json')) return stringsIn(JSON.parse(source));
  const titles = [...source.matchAll(TITLE)].map(([, , title = '']) => title);
  const comments = [...source.matchAll(COMMENT)].map(([comment]) => comment.replaceAll(CODE, ''));
  return [...comments, ...titles].map((text) => text.replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' '));
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

async function filesOf(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
}

test('a retired phrase is found in comments, titles and texts, but not in code', () => {
  const found = (text: string) => RETIRED_PHRASES.some(([phrase]) => phrase.test(text));
  expect(['Somebody calls.', 'it is told so', 'the books agree'].map(found)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['asks only once', 'the bookshelf', 'told apart'].map(found)).toEqual([
    false,
    false,
    false,
  ]);
});

test('no text has a retired phrase', async () => {
  const code = await Promise.all(
    ['src', 'web/src', 'test', '.ci'].map((name) => filesOf(name, /\.(?:tsx?|mjs)$/)),
  );
  const english = await filesOf('web/src/locales/en', /\.json$/);
  const documents = [...DOCUMENTS.slice(0, 2), 'CHANGELOG.md', 'SECURITY.md'];
  const docs = await filesOf('docs', /\.md$/);
  const files = [...code.flat(), ...english, 'src/locales/en.json', ...documents, ...docs];
  expect(files.length).toBeGreaterThan(2000);
  const found = files.flatMap((file) =>
    textsIn(file).flatMap((text) =>
      RETIRED_PHRASES.filter(([phrase]) => phrase.test(text)).map(
        ([phrase, instead]) =>
          `${file}: "${phrase.exec(text)?.[0]}" in "${text.slice(0, 100)}" (instead: ${instead})`,
      ),
    ),
  );
  expect(found).toEqual([]);
});

test('a retired word is found in a name, and only as a whole word', () => {
  expect(retiredIn('createBooks')).toEqual(['books']);
  expect(retiredIn('MOST_SHARES')).toEqual(['shares']);
  expect(retiredIn('sharedBreakers')).toEqual([]);
});

test('no exported name, and no name in a comment or a document, has a retired word', async () => {
  const files = (await readdir('src', { recursive: true }))
    .filter((file) => /\.tsx?$/.test(file) && !/^(?:cli|demo|locales)[\\/]/.test(file))
    .map((file) => join('src', file));
  expect(files.length).toBeGreaterThan(700);
  const inCode = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const names = [...source.matchAll(EXPORT)].map(([, name = '']) => name);
    const comments = [...source.matchAll(COMMENT)].join('\n');
    const mentioned = [...comments.matchAll(CODE_NAME)].map(([, name = '']) => name);
    return [...names, ...mentioned].map((name) => ({ file, name }));
  });
  const inDocuments = DOCUMENTS.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(CODE_NAME)].map(([, name = '']) => ({ file, name })),
  );
  const found = [...inCode, ...inDocuments].flatMap(({ file, name }) =>
    retiredIn(name).map((word) => `${file}: ${name} (instead of "${word}": ${RETIRED[word]})`),
  );
  expect(found).toEqual([]);
});
