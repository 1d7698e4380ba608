import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CatalogFile, RateVariant } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import { auditLines } from './audit.ts';
import { buildCatalog, catalogText } from './build/build.ts';
import {
  entriesByName,
  lostPrices,
  undecidedDifferences,
  unexplainedMoves,
  unpricedNames,
} from './checks.ts';
import { readCorrections } from './corrections.ts';
import { CATALOG_FILE, offeredNames, readPrevious } from './files.ts';
import { readSources } from './readers/all.ts';

const text = readFileSync(CATALOG_FILE, 'utf8');
const catalog: CatalogFile = JSON.parse(text);
const sources = readSources();
const corrections = readCorrections();
const entries = entriesByName(catalog);

describe('the model catalogue', () => {
  it('is what `npm run catalog` builds', () => {
    expect(catalogText(buildCatalog(sources, corrections, offeredNames()))).toBe(text);
  });

  it('stays small: 40 KB compressed', () => {
    expect(gzipSync(text).length).toBeLessThan(40_000);
  });

  it('has each name once, whatever its case', () => {
    const names = catalog.models.flatMap((entry) => entry.names.map((name) => name.toLowerCase()));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('prices every offered and every widely served model, or says why not', () => {
    const omitted = corrections.filter(({ omit }) => omit).flatMap(({ names }) => names);
    const names = [...offeredNames(), ...sources.served].filter((name) => !omitted.includes(name));
    expect(unpricedNames(catalog, names)).toEqual([]);
  });

  it('knows no offered model that was retired before the newest catalogue', () => {
    const newest = Object.values(catalog.sources).toSorted().at(-1) ?? '';
    const retired = offeredNames().filter((name) => {
      const { retired: day = newest } = entries.get(name.toLowerCase()) ?? {};
      return day < newest;
    });
    expect(retired).toEqual([]);
  });

  it('keeps the price of every model that had one', () => {
    expect(lostPrices(catalog, readPrevious())).toEqual([]);
  });

  it('changes no rate by more than a fifth without a correction', () => {
    expect(unexplainedMoves(catalog, readPrevious(), corrections)).toEqual([]);
  });

  it('decides every difference of more than a fifth between sources', () => {
    expect(undecidedDifferences(sources, corrections, catalog)).toEqual([]);
  });

  it('agrees with all prices of the newest catalogue that no correction replaces', () => {
    const [newest = ''] = auditLines(catalog, sources);
    expect(newest).toMatch(/^pi-ai \S+: \d+ agree, 0 differ, 0 unknown$/);
  });
});

describe('the corrections', () => {
  it('name only models of the catalogue, with source, date and reason', () => {
    const wrong = corrections.filter(({ names, omit, source, date, reason }) => {
      const isKnown = names.every((name) => entries.has(name.toLowerCase()) !== (omit === true));
      return !isKnown || source === '' || reason === '' || !/^20\d\d-\d\d(-\d\d)?$/.test(date);
    });
    expect(wrong).toEqual([]);
  });
});

const variants = catalog.models.flatMap((entry) =>
  (entry.variants ?? []).map((variant) => ({ entry, variant })),
);

describe('the entries', () => {
  it('have a price or a reason for having none, and a dated source', () => {
    const wrong = catalog.models.filter(
      ({ rates, no_price, source }) =>
        (rates === undefined) === (no_price === undefined) ||
        !/\S 20\d\d-\d\d(-\d\d)?$/.test(source),
    );
    expect(wrong).toEqual([]);
  });

  it('never price a cached token above a fresh one, or anything below zero', () => {
    const wrong = catalog.models.filter(({ rates = {} }) => {
      const { input = 0, cache_read = 0 } = rates;
      return cache_read > input || Object.values(rates).some((rate) => rate < 0);
    });
    expect(wrong.map(({ names }) => names[0])).toEqual([]);
  });

  it('have variants with a condition, and either rates or a factor', () => {
    const isWrong = ({ when, rates, factor }: RateVariant) =>
      Object.keys(when).length === 0 || (rates === undefined) === (factor === undefined);
    expect(variants.filter(({ variant }) => isWrong(variant))).toEqual([]);
  });

  it('make no long prompt cheaper', () => {
    const wrong = variants.filter(
      ({ entry, variant: { when, rates } }) =>
        when.prompt_above !== undefined && (rates?.input ?? 0) < (entry.rates?.input ?? 0),
    );
    expect(wrong).toEqual([]);
  });

  it('name hosts by the slugs of provider types', () => {
    const slugs = new Set(PROVIDERS.map(({ slug }) => slug));
    const named = variants.flatMap(({ variant: { when } }) => when.provider ?? []);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((slug) => !slugs.has(slug))).toEqual([]);
  });

  it('give no embedding an output limit', () => {
    const embeddings = catalog.models.filter(({ names: [name = ''] }) => name.includes('embed'));
    expect(embeddings.length).toBeGreaterThan(10);
    expect(embeddings.filter(({ output_limit }) => output_limit !== undefined)).toEqual([]);
  });
});
