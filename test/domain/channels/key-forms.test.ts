import { expect, test } from 'vitest';
import { typeOfKey } from '../../../src/domain/channels/key-forms.ts';

test.each([
  ['sk-ant-api03-x', 'claude'],
  ['sk-or-v1-x', 'openrouter'],
  ['sk-proj-x', 'openai'],
  ['AIzaSyA-abcdefghijklmnopqrstuvwxyz01234', 'gemini'],
  ['{\n "type": "service_account",\n "private_key": "-"}', 'vertex'],
  ['AKIAABCDEFGHIJKLMNOP|secret|us-east-1', 'aws'],
  ['gsk_x', 'groq'],
  ['0123456789abcdef0123456789abcdef.abcdefghijklmnop', 'zhipu-v4'],
  ['sk-plain', undefined],
  ['', undefined],
])('the key %j is of %s', (key, slug) => {
  expect(typeOfKey(key)?.slug).toBe(slug);
});
