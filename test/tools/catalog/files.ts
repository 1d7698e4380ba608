/** What the builder reads and writes besides the catalogues. */
import { readFileSync } from 'node:fs';
import type { CatalogFile, ModelEntry } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import type { RatesByName } from './checks.ts';

export const CATALOG_FILE = new URL(
  '../../../src/domain/pricing/catalog/models.json',
  import.meta.url,
);
/** The rates of the last release. */
export const PREVIOUS_FILE = new URL('previous.json', import.meta.url);

type Priced = Pick<ModelEntry, 'names'> & Required<Pick<ModelEntry, 'rates'>>;

/** The model names that provider types suggest. */
export function offeredNames(): readonly string[] {
  return [...new Set(PROVIDERS.flatMap(({ models }) => models))];
}

export function readPrevious(): RatesByName {
  const models: readonly Priced[] = JSON.parse(readFileSync(PREVIOUS_FILE, 'utf8'));
  return Object.fromEntries(
    models.flatMap(({ names, rates }) => names.map((name) => [name, rates] as const)),
  );
}

/** One model per line. */
export function ratesText({ models }: CatalogFile): string {
  const lines = models.flatMap(({ names, rates }) =>
    rates ? JSON.stringify({ names, rates } satisfies Priced) : [],
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}
