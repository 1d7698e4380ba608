import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { providerFacts } from '../../src/providers/provider-facts.ts';
import { PROVIDERS, providerOf } from '../../src/providers/rows/provider-rows.ts';
import { providersMarkdown } from '../tools/docs/provider-docs.ts';

test('docs/providers.md matches the provider rows (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(readFileSync('docs/providers.md', 'utf8')).toBe(providersMarkdown());
});

test('lists every type once', () => {
  const text = providersMarkdown();
  for (const { type, slug } of PROVIDERS)
    expect(text.split(`| ${type} | \`${slug}\` |`), slug).toHaveLength(2);
});

test('describes the capabilities of a row', () => {
  expect(providerFacts(providerOf(43))).toMatchObject({
    slug: 'deepseek',
    dialect: 'openai',
    endpoints: ['chat', 'completions'],
    tellsBalance: true,
    listsModels: true,
    takesMessages: true,
  });
  expect(providerFacts(providerOf(37))).toMatchObject({
    dialect: 'dify',
    endpoints: ['chat'],
    tellsBalance: false,
    listsModels: false,
    variants: [
      'if `other` is `completion`, calls go to a completion application',
      'if `other` is `workflow`, calls go to a workflow',
    ],
  });
  expect(providerFacts(providerOf(33))).toMatchObject({
    address: 'by region',
    dialect: 'anthropic, converse',
    endpoints: ['chat'],
    listsModels: true,
    takesMessages: true,
  });
  expect(providerFacts(providerOf(11)).endpoints).toEqual([]);
});
