/**
 * Builds what the npm package ships: `dist/main.js` (the CLI and the server), its worker threads, and
 * `dist/web` (the console).
 *
 *   node build.mjs               both parts
 *   node build.mjs --server      without the console
 *   node build.mjs --if-needed   only the parts whose sources changed since their last build
 */
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const TOOLING = ['package.json', 'package-lock.json', 'build.mjs'];

/** Packages that cost more to load than all of the CLI: only a dynamic import may reach them. */
const NEVER_AT_START = [
  'fastify',
  'gpt-tokenizer',
  'ink',
  'knex',
  'nodemailer',
  'undici',
  'yaml',
  'zod',
];

/** Drivers that knex knows and the gateway does not use. */
const UNUSED_DRIVERS = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'tedious',
];

/** The time of the file `product` is the time of the last build of the part. */
const PARTS = [
  {
    name: 'server',
    product: 'dist/main.js',
    sources: ['src', 'migrations', ...TOOLING],
    build: buildServer,
  },
  {
    name: 'web',
    product: 'dist/web/index.html',
    sources: ['web', 'src/api', 'src/domain', ...TOOLING],
    build: buildWeb,
  },
];

await main();

async function main() {
  const { values: flags } = parseArgs({
    options: { server: { type: 'boolean' }, 'if-needed': { type: 'boolean' } },
  });
  for (const part of PARTS) {
    if (flags.server && part.name !== 'server') continue;
    if (flags['if-needed'] && (await isFresh(part))) continue;
    await timed(part);
  }
}

/** Sets the time of the product to the start of the build, so that later edits cause another build. */
async function timed(part) {
  const startedAt = new Date();
  await part.build();
  await utimes(join(ROOT, part.product), startedAt, startedAt);
  process.stderr.write(
    `built ${part.name} in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s\n`,
  );
}

async function isFresh({ product, sources }) {
  const builtAtMs = await changedAtMs(product);
  const changes = await Promise.all(sources.map(newestMs));
  return changes.every((changeMs) => changeMs < builtAtMs);
}

/** Includes folders: when a file is deleted, only the time of its folder changes. */
async function newestMs(path) {
  const entries = await readdir(join(ROOT, path), { withFileTypes: true, recursive: true }).catch(
    (error) => (error.code === 'ENOTDIR' ? [] : Promise.reject(error)),
  );
  const paths = entries.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  return Math.max(...(await Promise.all([path, ...paths].map(changedAtMs))));
}

async function changedAtMs(path) {
  return (await stat(join(ROOT, path)).catch(() => undefined))?.mtimeMs ?? 0;
}

async function buildServer() {
  const esbuild = await import('esbuild');
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const { metafile, outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: {
      main: 'src/cli/main.ts',
      'token-counter-worker': 'src/services/token-counter/worker.ts',
      'password-worker': 'src/services/credentials/password-thread/worker.ts',
    },
    outdir: 'dist',
    // Without subfolders, so that paths relative to import.meta.url are the same in every file.
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [
      ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
      ...UNUSED_DRIVERS,
      'react-devtools-core',
    ],
    // Without it React and Ink load their development builds.
    define: { 'process.env.NODE_ENV': '"production"' },
    // Bundled CommonJS packages still call require for Node's own modules.
    banner: {
      js: "import { createRequire as gatewayCreateRequire } from 'node:module'; const require = gatewayCreateRequire(import.meta.url);",
    },
    loader: { '.json': 'json' },
    sourcemap: true,
    sourcesContent: false,
    // The process keeps its source text in memory. Names stay, and lines short enough for stacks.
    minifyWhitespace: true,
    lineLimit: 120,
    metafile: true,
    // Written below, after the checks.
    write: false,
    logLevel: 'warning',
  });
  refuseHeavyStart(metafile.outputs);
  await mkdir(join(ROOT, 'dist'), { recursive: true });
  await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
  await removeStale(metafile.outputs);
}

/** A heavy package reached by a static import makes even `gateway --help` slow. */
function refuseHeavyStart(outputs) {
  const heavy = [...startFiles(outputs)]
    .flatMap((file) => Object.keys(outputs[file].inputs))
    .filter((input) => NEVER_AT_START.some((name) => input.startsWith(`node_modules/${name}/`)));
  if (heavy.length > 0)
    throw new Error(`dist/main.js loads at start: ${heavy.slice(0, 3).join(', ')}`);
}

/** The files that Node reads before the first line of `main.js` runs. */
function startFiles(outputs) {
  const files = new Set(['dist/main.js']);
  for (const file of files) {
    for (const { path, kind } of outputs[file].imports) {
      if (kind === 'import-statement' && path in outputs) files.add(path);
    }
  }
  return files;
}

/** Deletes chunks of earlier builds after the new ones exist, so that a running command keeps its files. */
async function removeStale(outputs) {
  const entries = await readdir(join(ROOT, 'dist'), { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  const stale = files.filter((file) => !file.startsWith('dist/web/') && !(file in outputs));
  await Promise.all(stale.map((file) => rm(join(ROOT, file))));
}

async function buildWeb() {
  const vite = await import('vite');
  await vite.build({ root: join(ROOT, 'web'), logLevel: 'warn' });
}
