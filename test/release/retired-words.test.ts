/**
 * Checks that exported names under src and the code words of the hand-written documentation use the
 * terms of docs/glossary.md, and not the words that these replaced.
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
