/** What the builder reads and writes besides the catalogues. */
import { readFileSync } from 'node:fs';
import type { CatalogFile } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import { compareNames } from './build/group.ts';
import type { RatesByName } from './checks.ts';

export const CATALOG_FILE = new URL(
  '../../../src/domain/pricing/catalog/models.json',
  import.meta.url,
);
/** The rates of the last release. */
export const PREVIOUS_FILE = new URL('previous.json', import.meta.url);

/** The model names that provider types suggest. */
export function offeredNames(): readonly string[] {
  return [...new Set(PROVIDERS.flatMap(({ models }) => models))];
}

export function readPrevious(): RatesByName {
  return JSON.parse(readFileSync(PREVIOUS_FILE, 'utf8'));
}

/** One name per line. */
export function ratesText({ models }: CatalogFile): string {
  const lines = models
    .flatMap(({ names, rates }) => (rates ? names.map((name) => ({ name, rates })) : []))
    .toSorted((a, b) => compareNames(a.name, b.name))
    .map(({ name, rates }) => `${JSON.stringify(name)}:${JSON.stringify(rates)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}
