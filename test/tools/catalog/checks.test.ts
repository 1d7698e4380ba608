/** That the checks and the merge notice what they are for. */
import { describe, expect, it } from 'vitest';
import type {
  CatalogFile,
  ModelEntry,
  Rates,
} from '../../../src/domain/pricing/catalog/model-entry.ts';
import { buildCatalog } from './build/build.ts';
import { lostPrices, undecidedDifferences, unexplainedMoves, unpricedNames } from './checks.ts';
import type { Correction } from './corrections.ts';
import type { Catalogue } from './makers.ts';
import type { Sources } from './readers/all.ts';
import type { SourceModel } from './source-model.ts';

const DECISION = { source: 'price page', date: '2026-11-10', reason: 'a lower price' };

function model(provider: string, name: string, rates: Rates, more?: Partial<SourceModel>) {
  return { provider, name, rates, variants: [], ...more };
}

type Listed = Readonly<Partial<Record<Catalogue, readonly Omit<SourceModel, 'source'>[]>>>;

const DATES = { 'pi-ai': '2026-11-10', 'models.dev': '2026-09-28', litellm: '2026-08-01' };

function sourcesOf(listed: Listed): Sources {
  const catalogues = Object.entries(DATES).map(([id, date]) => {
    const catalogue = id as Catalogue; // a key of the literal
    const models = (listed[catalogue] ?? []).map((one) => ({ ...one, source: `${id} ${date}` }));
    return { catalogue, date, models };
  });
  return { catalogues, kept: [], served: [] };
}

function built(listed: Listed, corrections: readonly Correction[] = []): CatalogFile {
  return buildCatalog(sourcesOf(listed), corrections, []);
}

function only({ models }: CatalogFile): ModelEntry | undefined {
  return models.length === 1 ? models[0] : undefined;
}

describe('the merge', () => {
  const newest = model('openai', 'gpt-9', { input: 2, output: 10 });

  it('takes the newest price and adds what older catalogues that agree list', () => {
    const older = model('openai', 'gpt-9', { input: 2, output: 10, cache_read: 0.2 });
    const entry = only(built({ 'pi-ai': [newest], 'models.dev': [older] }));
    expect(entry?.rates).toEqual({ input: 2, output: 10, cache_read: 0.2 });
    expect(entry?.source).toBe('pi-ai 2026-11-10');
  });

  it('takes nothing from an older catalogue with another price', () => {
    const older = model('openai', 'gpt-9', { input: 4, output: 20, cache_read: 0.4 });
    const entry = only(built({ 'pi-ai': [newest], 'models.dev': [older] }));
    expect(entry?.rates).toEqual({ input: 2, output: 10 });
  });

  it('lets no reseller set a price', () => {
    const resold = model('azure', 'gpt-9', { input: 1, output: 5 });
    const entry = only(built({ 'pi-ai': [newest], 'models.dev': [resold] }));
    expect(entry?.rates).toEqual({ input: 2, output: 10 });
    expect(entry?.variants).toBeUndefined();
  });

  it('puts the dated name of a model beside its name, but not at another price', () => {
    const dated = model('openai', 'gpt-9-2026-10-01', { input: 2, output: 10 });
    const first = model('openai', 'gpt-9-2026-01-01', { input: 5, output: 20 });
    const { models } = built({ 'pi-ai': [newest, dated, first] });
    expect(models.map(({ names }) => names)).toEqual([
      ['gpt-9', 'gpt-9-2026-10-01'],
      ['gpt-9-2026-01-01'],
    ]);
  });

  it('prices an open model that its maker does not sell by the median of its hosts', () => {
    const is_open = true as const;
    const entry = only(
      built(
        {
          'models.dev': [
            model('groq', 'meta/llama-9-8b', { input: 1, output: 2 }, { is_open }),
            model('deepinfra', 'meta/llama-9-8b', { input: 3, output: 4 }, { is_open }),
            model('novita-ai', 'meta/llama-9-8b', { input: 9, output: 9 }, { is_open }),
          ],
        },
        [{ names: ['llama-9-8b'], ...DECISION }],
      ),
    );
    expect(entry?.rates).toEqual({ input: 3, output: 4 });
    expect(entry?.is_estimated).toBe(true);
    expect(entry?.variants).toEqual([
      { when: { provider: 'groq' }, rates: { input: 1, output: 2 } },
      { when: { provider: 'novita' }, rates: { input: 9, output: 9 } },
    ]);
  });

  it('writes a tier as a factor if all rates move alike, otherwise as rates', () => {
    const tier = (rates: Rates) => [{ when: { tier: 'priority' }, rates }];
    const alike = model('openai', 'gpt-9', newest.rates, {
      variants: tier({ input: 4, output: 20 }),
    });
    const other = model('openai', 'gpt-8', newest.rates, {
      variants: tier({ input: 4, output: 10 }),
    });
    const { models } = built({ 'pi-ai': [alike, other] });
    expect(models.map(({ variants }) => variants)).toEqual([
      [{ when: { tier: 'priority' }, rates: { input: 4, output: 10 } }],
      [{ when: { tier: 'priority' }, factor: 2 }],
    ]);
  });
});

describe('the checks', () => {
  const listed = { 'pi-ai': [model('openai', 'gpt-9', { input: 2, output: 10 })] };
  const decision: Correction = { names: ['gpt-9'], newest: ['input'], ...DECISION };

  it('notice a model without a price', () => {
    expect(unpricedNames(built(listed), ['openai/GPT-9', 'gpt-10'])).toEqual(['gpt-10']);
  });

  it('notice a price that is lost', () => {
    expect(lostPrices(built(listed), { 'gpt-9': {}, 'gpt-8': { input: 1 } })).toEqual(['gpt-8']);
  });

  it('notice a rate that moved by more than a fifth or is gone', () => {
    const before = { 'gpt-9': { input: 4, output: 11, cache_read: 0.4 } };
    expect(unexplainedMoves(built(listed), before, [])).toEqual([
      'gpt-9: input 4 -> 2',
      'gpt-9: cache_read 0.4 -> undefined',
    ]);
    expect(unexplainedMoves(built(listed), before, [decision])).toEqual([
      'gpt-9: cache_read 0.4 -> undefined',
    ]);
  });

  it('notice catalogues that differ by more than a fifth', () => {
    const sources = sourcesOf({
      ...listed,
      litellm: [model('openai', 'gpt-9', { input: 4, output: 11 })],
    });
    const catalog = buildCatalog(sources, [], []);
    expect(undecidedDifferences(sources, [], catalog)).toEqual([
      'gpt-9: input 2 (pi-ai 2026-11-10), 4 (litellm 2026-08-01)',
    ]);
    expect(undecidedDifferences(sources, [decision], catalog)).toEqual([]);
  });
});
