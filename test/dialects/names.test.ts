/** Code outside the dialects folder uses fields of dialect rows and never branches on a name. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPSTREAM_DIALECTS } from '../../src/dialects/all.ts';

const NAME = `'(?:${Object.keys(UPSTREAM_DIALECTS).join('|')})'`;
const HOLDER = String.raw`[\w.?()]*\b(?:dialect|client|upstream)(?:\?)?(?:\.name)?`;
const BRANCHES = [
  new RegExp(String.raw`${HOLDER}\s*[!=]==\s*${NAME}`, 'gi'),
  new RegExp(String.raw`${NAME}\s*[!=]==\s*${HOLDER}\b`, 'gi'),
  new RegExp(String.raw`switch \(${HOLDER}\)`, 'gi'),
  // A table keyed by name or a set of names counts as a branch too.
  /Record<\s*(?:Upstream)?DialectName\b/g,
  /Set<\s*(?:Upstream)?DialectName\b/g,
];

function branchesIn(source: string): readonly string[] {
  return BRANCHES.flatMap((pattern) => source.match(pattern) ?? []);
}

test.each([
  "if (incoming.dialect === 'gemini') return;",
  "const isAnthropic = speech?.upstream.name !== 'anthropic';",
  "if ('responses' === record.dialect) return;",
  'switch (record.incoming.dialect) {',
  'const FIELDS: Readonly<Record<DialectName, string>> = {};',
  "const NONE: ReadonlySet<UpstreamDialectName> = new Set(['dify']);",
])('detects that %s branches on a name', (source) => {
  expect(branchesIn(source)).toHaveLength(1);
});

test.each([
  "if (incoming.endpoint === 'chat') return;",
  "if (family === 'gemini') return;",
  'return client.name === upstream.name;',
])('finds no branch in %s', (source) => {
  expect(branchesIn(source)).toEqual([]);
});

test('no code outside src/dialects branches on the name of a dialect', async () => {
  const files = await readdir('src', { recursive: true });
  const others = files.filter(
    (file) => /\.tsx?$/.test(file) && !/^(?:dialects|demo)[\\/]/.test(file),
  );
  expect(others.length).toBeGreaterThan(500);
  const found = others.flatMap((file) =>
    branchesIn(readFileSync(join('src', file), 'utf8')).map((branch) => `${file}: ${branch}`),
  );
  expect(found).toEqual([]);
});
