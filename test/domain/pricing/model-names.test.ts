import { expect, it, test } from 'vitest';
import { findPrice, STRICT } from '../../../src/domain/pricing/find-price.ts';
import { findModelName } from '../../../src/domain/pricing/model-names.ts';
import { NOON, tablesWith } from './price-tables.ts';

const MODELS = new Map(
  ['claude-sonnet-4-5', 'claude-3-haiku-20240307', 'gpt-5.4', 'MiniMax-M3', 'qwen-max', 'nova-pro']
    .concat('gpt-4-gizmo-*', 'gemini-2.5-pro')
    .map((name) => [name, name]),
);

test.each([
  ['anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5'],
  ['openrouter/openai/gpt-5.4', 'gpt-5.4'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['gpt-5.4-2026-03-05', 'gpt-5.4'],
  ['qwen-max-latest', 'qwen-max'],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['global.anthropic.claude-3-haiku-20240307-v1:0', 'claude-3-haiku-20240307'],
  ['amazon.nova-pro-v1:0', 'nova-pro'],
  ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0', 'nova-pro'],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
  ['claude-3-haiku@20240307', 'claude-3-haiku-20240307'],
  ['claude-sonnet-4-5@default', 'claude-sonnet-4-5'],
  ['publishers/google/models/gemini-2.5-pro', 'gemini-2.5-pro'],
  ['minimax-m3', 'MiniMax-M3'],
  ['minimax/MINIMAX-M3', 'MiniMax-M3'],
  ['gpt-4-gizmo-abc', 'gpt-4-gizmo-*'],
])('%s is priced as %s', (name, stored) => {
  expect(findModelName(MODELS, name)).toBe(stored);
});

test.each(['gpt-5', 'gpt-5.4-mini', 'my-own-model', 'claude-sonnet-4', '', '/', 'latest'])(
  '%j is no other name of a priced model',
  (name) => {
    expect(findModelName(MODELS, name)).toBeUndefined();
  },
);

it('an exact name of the mapped model comes before another name of the requested one', () => {
  const tables = tablesWith({ modelRatio: { base: 1, exact: 2 } });
  const names = { requested: 'base-latest', mapped: 'exact' };
  expect(findPrice(tables, names, STRICT, { atMs: NOON })).toMatchObject({
    name: 'exact',
    rule: 'mapped',
  });
  expect(findPrice(tables, { requested: 'base-latest' }, STRICT, { atMs: NOON })).toMatchObject({
    name: 'base',
    rule: 'requested',
  });
});
