/**
 * Compares two builds: `node .ci/sizes.mjs <dist before> <dist now>` prints the compressed sizes of what
 * the package ships, and the files that changed most. It fails nothing: `web/budget.mjs` has the limits.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const GROUPS = {
  'main.js, read by every command': (file) => file === 'main.js',
  'server and commands': (file) => /^[^/]+\.js$/.test(file),
  'console, scripts': (file) => /^web\/.*\.js$/.test(file),
  'console, styles': (file) => file.endsWith('.css'),
};
const MOST_FILES = 8;
const LEAST_BYTES = 100;

const [before, now] = await Promise.all(process.argv.slice(2, 4).map(sizesOf));
const rows = Object.entries(GROUPS).map(([title, holds]) =>
  row(title, sumOf(before, holds), sumOf(now, holds)),
);
const changed = [...new Set([...before.keys(), ...now.keys()])]
  .map((file) => row(file, before.get(file) ?? 0, now.get(file) ?? 0))
  .filter(({ change }) => Math.abs(change) >= LEAST_BYTES)
  .sort((a, b) => Math.abs(b.change) - Math.abs(a.change))
  .slice(0, MOST_FILES);
process.stdout.write(`${tableOf([...rows, ...changed])}\n`);

/** Bytes after gzip by file. The hash in a name differs between builds, so it is left out. */
async function sizesOf(folder) {
  const sizes = new Map();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/\.(js|css)$/.test(file)) continue;
    const name = file.replace(/-[\w-]{8}(?=\.\w+$)/, '');
    const bytes = gzipSync(await readFile(join(folder, file))).length;
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  return sizes;
}

function sumOf(sizes, holds) {
  return [...sizes].reduce((sum, [file, bytes]) => sum + (holds(file) ? bytes : 0), 0);
}

function row(title, before, now) {
  return { title, before, now, change: now - before };
}

/** In Markdown, for the summary of a workflow. */
function tableOf(rows) {
  const lines = rows.map(({ title, before, now, change }) => {
    const sign = change > 0 ? '+' : '';
    return `| ${title} | ${kb(before)} | ${kb(now)} | ${sign}${kb(change)} |`;
  });
  return ['| kB after gzip | before | now | change |', '|---|---|---|---|', ...lines].join('\n');
}

function kb(bytes) {
  return (bytes / 1000).toFixed(1);
}
