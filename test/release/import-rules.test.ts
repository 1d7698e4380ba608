import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every folder of src has a rule for its imports in biome.json', () => {
  const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8'));
  const ruled = overrides
    .filter(({ linter }: { linter?: object }) =>
      JSON.stringify(linter)?.includes('noRestrictedImports'),
    )
    .flatMap(({ includes }: { includes: string[] }) => includes);
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}/**`);
  expect(folders.filter((folder) => !ruled.includes(folder))).toEqual([]);
});
