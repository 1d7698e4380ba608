/**
 * The model catalogue: list prices and limits by name, built from public catalogues by
 * `npm run catalog` (docs/contributing.md).
 */
import { findModelName } from '../model-names.ts';
import type { ListPrice } from '../price.ts';
import type { CatalogFile, ModelEntry } from './model-entry.ts';
import file from './models.json' with { type: 'json' };

const CATALOG = file as CatalogFile; // test/tools/catalog checks the file against the schema

let entries: ReadonlyMap<string, ModelEntry> | undefined;

function catalogEntries(): ReadonlyMap<string, ModelEntry> {
  entries ??= new Map(
    CATALOG.models.flatMap((entry) => entry.names.map((name) => [name, entry] as const)),
  );
  return entries;
}

let prices: ReadonlyMap<string, ListPrice> | undefined;

/** The list prices of all models that have one; built once. */
export function catalogPrices(): ReadonlyMap<string, ListPrice> {
  prices ??= new Map(
    [...catalogEntries()].flatMap(([name, { rates, variants = [] }]) =>
      rates === undefined ? [] : [[name, { rates, variants }] as const],
    ),
  );
  return prices;
}

/** The entry of a model, also under another of its names. */
export function catalogEntry(model: string): ModelEntry | undefined {
  const all = catalogEntries();
  return all.get(model) ?? all.get(findModelName(all, model) ?? '');
}

/** Whether the maker no longer sells the model. */
export function isRetired(model: string, atMs: number): boolean {
  const entry = catalogEntry(model);
  return entry !== undefined && isRetiredEntry(entry, atMs);
}

/** The names of all models that their makers no longer sell. */
export function retiredModels(atMs: number): string[] {
  return CATALOG.models
    .filter((entry) => isRetiredEntry(entry, atMs))
    .flatMap(({ names }) => names);
}

function isRetiredEntry({ retired }: ModelEntry, atMs: number): boolean {
  return retired !== undefined && retired < new Date(atMs).toISOString().slice(0, 10);
}
