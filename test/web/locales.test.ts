import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../web/src', import.meta.url));

const zh = texts('zh');
const en = texts('en');
const code = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }));

function texts(language: string): Map<string, string> {
  const file = JSON.parse(readFileSync(join(SOURCES, 'locales', `${language}.json`), 'utf8'));
  return new Map(Object.entries<string>(file));
}

function placeholders(text: string | undefined): string[] {
  return [...(text ?? '').matchAll(/{{(\w+)}}/g)].map(([, name = '']) => name).sort();
}

test('both languages have the same texts, with the same places for values', () => {
  expect([...en.keys()].sort()).toEqual([...zh.keys()].sort());
  for (const [key, text] of zh) expect(placeholders(en.get(key)), key).toEqual(placeholders(text));
  for (const text of [...zh.values(), ...en.values()]) expect(text.trim()).not.toBe('');
});

test('every text is used somewhere', () => {
  const all = code.map(({ text }) => text).join('\n');
  // A key may be put together at its end: t(`status.state.${state}`).
  const beginnings = [...all.matchAll(/`([a-z][\w.]*\.)\$\{/gi)].map(([, start = '']) => start);
  const unused = [...zh.keys()].filter(
    (key) => !all.includes(`'${key}'`) && !beginnings.some((start) => key.startsWith(start)),
  );
  expect(unused).toEqual([]);
});

test('no Chinese text stands in the code, save the language’s own name', () => {
  const found = code.flatMap(({ path, text }) =>
    [...text.matchAll(/\p{Script=Han}+/gu)].map(([words]) => `${path}: ${words}`),
  );
  expect(found).toEqual([`${join('app', 'i18n.ts')}: 中文`]);
});
