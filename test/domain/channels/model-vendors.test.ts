import { expect, test } from 'vitest';
import { modelsByVendor, vendorOf } from '../../../src/domain/channels/model-vendors.ts';

test.each([
  ['gpt-4o-mini', 'OpenAI'],
  ['o3', 'OpenAI'],
  ['o1-preview', 'OpenAI'],
  ['text-embedding-3-small', 'OpenAI'],
  ['claude-sonnet-4-5', 'Anthropic'],
  ['anthropic/claude-sonnet-4-5', 'Anthropic'],
  ['Gemini-2.5-pro', 'Google'],
  ['deepseek-chat', 'DeepSeek'],
  ['qwen3-max', 'Alibaba'],
  ['mj_imagine', 'Midjourney'],
  ['omega-1', ''],
  ['my-claude', ''],
])('%s is made by "%s"', (model, vendor) => expect(vendorOf(model)).toBe(vendor));

test('sorts vendors alphabetically, unknown ones last, and keeps the order of their models', () => {
  expect(modelsByVendor(['zz', 'gpt-b', 'claude-x', 'gpt-a'])).toEqual([
    { vendor: 'Anthropic', models: ['claude-x'] },
    { vendor: 'OpenAI', models: ['gpt-b', 'gpt-a'] },
    { vendor: '', models: ['zz'] },
  ]);
});
