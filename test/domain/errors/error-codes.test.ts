import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../src/domain/errors/errors.ts';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && name !== join('domain', 'errors', 'errors.ts'))
  .map((name) => ({ name, text: readFileSync(join('src', name), 'utf8') }));

test('every error code is used outside of the table of errors', () => {
  const all = sources.map(({ text }) => text).join('\n');
  const unused = Object.keys(ERRORS).filter((code) => !all.includes(`'${code}'`));
  expect(unused).toEqual([]);
});

test('the problem of an error is a reason of the catalogue, not an English sentence', () => {
  const english = sources.filter(({ text }) => /\bproblem: ['"`]/.test(text));
  expect(english.map(({ name }) => name)).toEqual([]);
});
