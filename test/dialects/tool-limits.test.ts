/** The most uses of a vendor's search tool, from one dialect to another. */
import { expect, test } from 'vitest';
import { translated } from './hub/requests.ts';

const INPUT = { model: 'm', input: 'Hi', tools: [{ type: 'web_search' }] };
const CLAUDE = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
const search = (fields: object) => ({
  tools: [{ type: 'web_search_20250305', name: 'web_search', ...fields }],
});

test('max_tool_calls of Responses becomes max_uses of Anthropic', () => {
  const written = translated('responses', 'anthropic', { ...INPUT, max_tool_calls: 3 });
  expect(written).toMatchObject(search({ max_uses: 3 }));
});

test('the lower of it and the searches of the context size counts', () => {
  const tools = [{ type: 'web_search', search_context_size: 'medium' }];
  for (const [calls, uses] of [
    [8, 5],
    [2, 2],
  ]) {
    const sent = { ...INPUT, tools, max_tool_calls: calls };
    expect(translated('responses', 'anthropic', sent)).toMatchObject(search({ max_uses: uses }));
  }
});

test('max_uses of Anthropic becomes max_tool_calls of Responses', () => {
  const written = translated('anthropic', 'responses', { ...CLAUDE, ...search({ max_uses: 4 }) });
  expect(written).toMatchObject({ tools: [{ type: 'web_search' }], max_tool_calls: 4 });
});

test('a search without a limit stays without', () => {
  const written = translated('anthropic', 'responses', { ...CLAUDE, ...search({}) });
  expect(written).not.toHaveProperty('max_tool_calls');
});
