import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../../../src/domain/errors/errors.ts';

test('every error code is used outside of the table of errors', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && name !== join('domain', 'errors', 'errors.ts'))
    .map((name) => readFileSync(join('src', name), 'utf8'))
    .join('\n');
  const unused = Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`));
  expect(unused).toEqual([]);
});
