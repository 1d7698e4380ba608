/** Single figures of the vendors' price lists, and prices under conditions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CatalogFile, RateKind } from '../../../src/domain/pricing/catalog/model-entry.ts';
import { entriesByName } from './checks.ts';
import { CATALOG_FILE } from './files.ts';

interface Figure {
  readonly name: string;
  readonly usd: number;
  readonly source: string;
}

function read<T>(path: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

const catalog: CatalogFile = JSON.parse(readFileSync(CATALOG_FILE, 'utf8'));
const entries = entriesByName(catalog);

/** The names of rates in the older list; a picture model's are those of pictures. */
const KINDS: Readonly<Record<string, RateKind>> = {
  in: 'input',
  out: 'output',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  audioIn: 'audio_input',
  audioOut: 'audio_output',
  perCall: 'call',
};

function kindOf(name: string, part: string): RateKind | undefined {
  const kind = KINDS[part];
  const isPicture = name.startsWith('gpt-image');
  if (isPicture && kind === 'input') return 'image_input';
  return isPicture && kind === 'output' ? 'image_output' : kind;
}

const FIGURES = [
  ...read<Figure & { readonly part: string }>('../../fixtures/published-prices/figures.json').map(
    (figure) => ({ ...figure, kind: kindOf(figure.name, figure.part) }),
  ),
  ...read<Figure & { readonly kind: RateKind }>('published.json'),
];

describe('published prices', () => {
  it.each(FIGURES)('$name: $kind is $usd USD ($source)', ({ name, kind = 'input', usd }) => {
    expect(entries.get(name.toLowerCase())?.rates?.[kind]).toBe(usd);
  });

  it.each([
    ['gpt-6-astra', 272_000, { input: 20, output: 75, cache_read: 2, cache_write: 25 }],
    [
      'claude-haiku-5-5',
      100_000,
      { input: 0.5, output: 2.5, cache_read: 0.05, cache_write: 0.625, cache_write_1h: 1 },
    ],
    ['gemini-3.1-pro-preview', 200_000, { input: 4, output: 18, cache_read: 0.4 }],
    ['grok-4.3', 200_000, { input: 2.5, output: 5, cache_read: 0.4 }],
    ['qwen3-max', 128_000, { input: 3, output: 15 }],
    ['MiniMax-M3', 512_000, { input: 0.6, output: 2.4, cache_read: 0.12 }],
  ])('%s costs more above %d tokens', (name, size, rates) => {
    const long = variantsOf(name).find(({ when }) => when.prompt_above === size);
    expect(long?.rates).toEqual(rates);
  });

  it.each([
    ['gpt-6-sol', 'priority', 2],
    ['gpt-6.1-sol', 'priority', 2],
    ['gpt-5.5', 'priority', 2.5],
    ['gpt-5.4', 'flex', 0.5],
    ['gpt-4.1', 'batch', 0.5],
    ['claude-opus-5', 'fast', 2],
    ['gemini-3.6-flash', 'priority', 1.8],
  ])('%s costs its price times the factor of the tier %s', (name, tier, factor) => {
    const found = variantsOf(name).find(({ when }) => when.tier === tier);
    expect(found?.factor).toBe(factor);
  });

  it('doubles gemini-4-argon on 1 December 2026', () => {
    expect(variantsOf('gemini-4-argon')).toEqual([
      { when: { from: '2026-12-01' }, rates: { input: 4, cache_read: 0.2, output: 20 } },
    ]);
  });

  it('halves the price of DeepSeek outside its peak hours', () => {
    const [usual, ...peak] = variantsOf('deepseek-flash').filter(
      ({ when }) => when.provider === 'deepseek',
    );
    expect(usual?.rates).toEqual({ input: 0.15, cache_read: 0.003, output: 0.6 });
    expect(peak.map(({ when }) => `${when.hours?.from}-${when.hours?.until}`)).toEqual([
      '09:00-12:00',
      '14:00-18:00',
    ]);
  });

  it('prices an open model by its host', () => {
    const hosts = variantsOf('gpt-oss-120b').map(({ when }) => when.provider);
    expect(hosts).toContain('cerebras');
    expect(hosts).toContain('deepinfra');
  });

  it('searches at the price of the vendor', () => {
    expect(entries.get('gemini-3.8-flash')?.rates?.web_search).toBe(14);
    expect(entries.get('gemini-2.5-flash')?.rates?.web_search).toBe(35);
    expect(entries.get('grok-4.7')?.rates?.web_search).toBe(5);
    expect(entries.get('gpt-4o-search-preview')?.rates?.web_search).toBe(25);
  });

  it.each(['rerank-v5-pro', 'rerank-v4-pro'])('has no %s, which no vendor sells', (name) => {
    expect(entries.has(name)).toBe(false);
  });
});

function variantsOf(name: string) {
  return entries.get(name.toLowerCase())?.variants ?? [];
}
