import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHANNEL_TYPE_LIST } from '../../src/domain/channels/channel-types.ts';
import { offersEndpoint } from '../../src/providers/requests/openai-request.ts';
import { PROVIDERS, providerOf } from '../../src/providers/rows/provider-rows.ts';

test('every channel type has a row with the same name and slug', () => {
  const named = (row: { type: number; name: string; slug: string }) => [
    row.type,
    row.name,
    row.slug,
  ];
  expect(PROVIDERS.map(named)).toEqual(CHANNEL_TYPE_LIST.map(named));
});

test('numbers and slugs are unique and find their row', () => {
  for (const row of PROVIDERS) {
    expect(providerOf(row.type)).toBe(row);
    expect(PROVIDERS.filter(({ slug }) => slug === row.slug)).toEqual([row]);
  }
});

test('an unknown type uses the OpenAI dialect at its own address', () => {
  const row = providerOf(777);
  expect([row.type, row.family, row.baseUrl, row.supported]).toEqual([777, 'openai', '', true]);
});

test('base addresses use http or https and have no trailing slash', () => {
  for (const { baseUrl, name } of PROVIDERS) {
    expect(baseUrl === '' || (URL.canParse(baseUrl) && /^https?:.*[^/]$/.test(baseUrl)), name).toBe(
      true,
    );
  }
});

test('rows with an endpoint or tasks are relayed, and the others state why not', () => {
  for (const row of PROVIDERS) {
    if (!row.supported) expect(row.note?.length ?? 0, row.name).toBeGreaterThan(20);
    const canRelay = (['chat', 'embeddings', 'images'] as const).some((endpoint) =>
      offersEndpoint(row, endpoint),
    );
    expect(row.supported, row.name).toBe(canRelay || row.family === 'task');
  }
});

test('a row without a base address tells the operator what to set', () => {
  for (const row of PROVIDERS.filter(({ baseUrl }) => baseUrl === '')) {
    expect(row.note ?? row.fixedModels, row.name).toBeTruthy();
  }
});

test('default models are unique, and the first is still available', () => {
  const gone = new Set([
    'gpt-3.5-turbo',
    'gpt-4',
    'gpt-4-turbo',
    'gpt-4.1-nano',
    'o1',
    'o3-mini',
    'o4-mini',
  ]);
  for (const { models, name } of PROVIDERS) {
    expect(new Set(models).size, name).toBe(models.length);
    expect(
      models.filter((model) => gone.has(model) || !/^\S+$/.test(model)),
      name,
    ).toEqual([]);
  }
});

test('a field is not both dropped and renamed', () => {
  for (const { drop = [], rename = {}, name } of PROVIDERS) {
    expect(
      drop.filter((field) => field in rename),
      name,
    ).toEqual([]);
  }
});

test('the providers whose streams differ have stored frames', () => {
  const stored = [
    'openai',
    'azure',
    'deepseek',
    'openrouter',
    'groq',
    'moonshot',
    'xai',
    'mistral',
    'vllm',
    'vertex',
  ];
  for (const slug of stored) {
    expect(PROVIDERS.some((row) => row.slug === slug)).toBe(true);
    expect(existsSync(new URL(`../fixtures/${slug}`, import.meta.url)), slug).toBe(true);
  }
});
