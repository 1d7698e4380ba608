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

/** Folders, or files beside them, each with what it may import of its layer: those before its own line. */
const ORDERS = {
  'src/relay': [
    ['body'],
    ['call'],
    ['http', 'routing'],
    ['failures'],
    ['translate'],
    ['billing'],
    ['admission'],
    ['features'],
    ['stages'],
    ['relay-call.ts'],
    ['endpoints', 'realtime', 'tasks'],
    ['create-relay.ts'],
  ],
  'src/services': [
    ['random', 'network', 'worker-threads'],
    ['cluster', 'token-counter'],
    ['cache', 'logs'],
    ['access', 'options', 'dashboard'],
    ['messaging'],
    ['credentials', 'billing'],
    ['channels', 'tokens'],
    ['budgets', 'accounts', 'tasks', 'import'],
    ['sign-in'],
    ['site'],
  ],
  'src/cli': [
    ['process'],
    ['command-context.ts'],
    ['output', 'servers', 'local'],
    ['cli.ts'],
    ['command.ts'],
    ['program', 'lookup'],
    ['completion', 'checks', 'site-file'],
    ['commands'],
    ['run.ts'],
    ['main.ts'],
  ],
};

test.each(Object.entries(ORDERS))(
  'a folder of %s imports only folders that come before it',
  (layer, order) => {
    const rankOf = (path: string) => order.findIndex((line) => line.includes(partOf(path)));
    const imports = importsWithin(layer);
    expect(imports.length).toBeGreaterThan(150);
    const parts = imports.flatMap(({ from, to }) => [from, to]);
    expect([...new Set(parts.filter((path) => rankOf(path) === -1).map(partOf))]).toEqual([]);
    const wrong = imports.filter(
      ({ from, to }) => partOf(from) !== partOf(to) && rankOf(to) >= rankOf(from),
    );
    expect(wrong).toEqual([]);
  },
);

test('a stage of the relay imports no feature, and a feature no other', () => {
  const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  const imports = importsWithin('src/relay').filter(({ from }) =>
    /^(features|stages)\//.test(from),
  );
  const taken = imports.filter(({ to }) => featureOf(to) !== undefined);
  expect(taken.length).toBeGreaterThan(5);
  const wrong = taken.filter(
    ({ from, to }) => from !== 'features/all.ts' && featureOf(from) !== featureOf(to),
  );
  expect(wrong).toEqual([]);
});

test('a feature of the console imports no other', () => {
  const imports = importsWithin('web/src/features');
  expect(imports.length).toBeGreaterThan(400);
  expect(imports.filter(({ from, to }) => partOf(from) !== partOf(to))).toEqual([]);
});

/** The folder, or the file that is in none. */
function partOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The imports between files of a folder, as paths below it. */
function importsWithin(root: string): { from: string; to: string }[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((from) => {
      const text = readFileSync(join(root, from), 'utf8');
      return [...text.matchAll(/ (?:from |import\()'(\.[^']+)'/g)]
        .map(([, path = '']) => ({ from, to: normalize(join(dirname(from), path)) }))
        .filter(({ to }) => !to.startsWith('..'));
    });
}
