/**
 * Measures the compressed files of a first visit to the built console: `node web/budget.mjs` prints them
 * and fails if they exceed the budget.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const BUILT = fileURLToPath(new URL('../dist/web', import.meta.url));
export const BUDGET_KB = { js: 270, css: 45 };
/** Number of files: each is a request, even if it is small. */
export const BUDGET_FILES = 4;

/** The files that `index.html` loads: kilobytes after gzip by kind, and their number. */
export async function firstLoad() {
  const page = await readFile(join(BUILT, 'index.html'), 'utf8');
  const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(js|css))"/g)];
  const sizes = { js: 0, css: 0, files: files.length };
  for (const [, file, kind] of files) sizes[kind] += await compressedKb(file);
  return sizes;
}

async function compressedKb(file) {
  return gzipSync(await readFile(join(BUILT, file))).length / 1000;
}

async function largestChunks(count) {
  const files = (await readdir(join(BUILT, 'assets'))).filter((file) => file.endsWith('.js'));
  const sizes = await Promise.all(
    files.map(async (file) => ({ file, kb: await compressedKb(`assets/${file}`) })),
  );
  return sizes.sort((a, b) => b.kb - a.kb).slice(0, count);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, ...sizes } = await firstLoad();
  for (const [kind, kb] of Object.entries(sizes)) {
    process.stdout.write(`${kind} ${kb.toFixed(1)} kB of ${BUDGET_KB[kind]} kB\n`);
    if (kb > BUDGET_KB[kind]) process.exitCode = 1;
  }
  process.stdout.write(`${files} files of ${BUDGET_FILES}\n`);
  if (files > BUDGET_FILES) process.exitCode = 1;
  for (const { file, kb } of await largestChunks(8))
    process.stdout.write(`  ${kb.toFixed(1)} kB ${file}\n`);
}
