/** Checks that the lists and test files in `docs/security.md` match the code. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { apiCalls } from '../../../src/api/all.ts';
import type { Calls } from '../../../src/api/call.ts';

let page: string;
beforeAll(async () => {
  page = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8');
});

it('docs/security.md names existing test files only', () => {
  const named = page.match(/test\/[\w/.-]+\.test\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(15);
  for (const file of named)
    expect(existsSync(new URL(`../../../${file}`, import.meta.url)), file).toBe(true);
});

it('docs/security.md lists exactly the calls reserved for super admins', () => {
  const calls = Object.values<Calls>(apiCalls).flatMap((table) => Object.values(table));
  const theirs = calls
    .filter(({ role }) => role === 100)
    .map(({ method, path }) => `${method} ${path}`);
  const listed = /Calls for super admins alone:([^.]*)\./.exec(page)?.[1] ?? '';
  const named = [...listed.matchAll(/`([^`]+)`/g)].map(([, call]) => call);
  expect(named.toSorted()).toEqual(theirs.toSorted());
});
