/**
 * Removes what the compiler stored of earlier checks if a JSON file is newer: TypeScript 7.0.2 keeps
 * the errors that such a file caused and misses new ones (microsoft/TypeScript#64025).
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';

const CACHE = 'node_modules/.cache';
const timeOf = (file) => statSync(file).mtimeMs;
const filesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);

const json = ['package.json', ...filesIn('src', '.json'), ...filesIn('web/src', '.json')];
const newest = Math.max(...json.map(timeOf));
const stored = existsSync(CACHE) ? filesIn(CACHE, '.tsbuildinfo') : [];
for (const file of stored) if (timeOf(file) < newest) rmSync(file);
