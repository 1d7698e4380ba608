import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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

/** The folders of src/relay, each with what it may import of the relay: those before its own line. */
const RELAY_ORDER = [
  ['body'],
  ['call'],
  ['http', 'routing'],
  ['failures'],
  ['translate'],
  ['billing'],
  ['admission'],
  ['features'],
  ['stages'],
  ['endpoints', 'realtime', 'tasks'],
];

test('a folder of the relay imports only folders that come before it', () => {
  const rankOf = (folder: string) => RELAY_ORDER.findIndex((line) => line.includes(folder));
  const folders = readdirSync('src/relay', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.filter((folder) => rankOf(folder) === -1)).toEqual([]);

  const imports = relayImports(folders);
  expect(imports.length).toBeGreaterThan(300);
  const wrong = imports.filter(({ from, to }) => {
    const [own = '', other = ''] = [from, to].map((path) => path.split('/')[0]);
    return own !== other && rankOf(other) >= rankOf(own);
  });
  expect(wrong).toEqual([]);
});

test('a stage of the relay imports no feature, and a feature no other', () => {
  const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  const imports = relayImports(['body', 'call', 'http', 'billing', 'features', 'stages']);
  const taken = imports.filter(({ to }) => featureOf(to) !== undefined);
  expect(taken.length).toBeGreaterThan(5);
  const wrong = taken.filter(
    ({ from, to }) => from !== 'features/all.ts' && featureOf(from) !== featureOf(to),
  );
  expect(wrong).toEqual([]);
});

function relayImports(folders: readonly string[]) {
  return folders.flatMap((folder) =>
    readdirSync(join('src/relay', folder), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => importsOf(join(folder, name))),
  );
}

/** The imports of a file of the relay within the relay, as paths below src/relay. */
function importsOf(from: string): { from: string; to: string }[] {
  const text = readFileSync(join('src/relay', from), 'utf8');
  return [...text.matchAll(/ (?:from |import\()'(\.[^']+)'/g)]
    .map(([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }))
    .filter(({ to }) => to.includes('/') && !to.startsWith('..'));
}
