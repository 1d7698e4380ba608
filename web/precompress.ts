/** A Vite plugin: lays `.br` and `.gz` beside every built file that is worth it. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Below this the headers weigh as much as what is saved. */
const FROM_BYTES = 1024;
const TEXTS = /\.(js|css|svg|json|txt)$/;

/** The best would take three times as long to save 2 % more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

const ENCODERS = {
  br: (file: Buffer) => promisify(brotliCompress)(file, BROTLI),
  gz: (file: Buffer) => promisify(gzip)(file, { level: 9 }),
};

export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => TEXTS.test(name));
      await Promise.all(files.map((name) => compressBeside(join(dir, name))));
    },
  };
}

async function compressBeside(path: string): Promise<void> {
  const file = await readFile(path);
  if (file.length < FROM_BYTES) return;
  const encodings = Object.entries(ENCODERS);
  await Promise.all(
    encodings.map(async ([ending, encode]) => writeFile(`${path}.${ending}`, await encode(file))),
  );
}
