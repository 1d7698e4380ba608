/** The links of the documents lead to files that are in the package. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

interface Packed {
  readonly files: readonly { readonly path: string }[];
}

test('every link of a document in the package leads to a file in the package', () => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const [packed]: Packed[] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' }));
  const files = new Set(packed?.files.map((file) => file.path));
  const documents = [...files].filter((file) => file.endsWith('.md'));
  expect(documents).toContain('docs/operations.md');
  const dead = documents.flatMap((document) =>
    linksOf(document)
      .filter((link) => !files.has(link))
      .map((link) => `${document}: ${link}`),
  );
  expect(dead).toEqual([]);
});

/** Relative links without their anchors, as paths in the package. */
function linksOf(document: string): string[] {
  return [...readFileSync(document, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/i.test(link))
    .map((link) => path.posix.join(path.posix.dirname(document), link));
}
