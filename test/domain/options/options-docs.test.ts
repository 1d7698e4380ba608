import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { OPTION_KEYS } from '../../../src/domain/options/registry.ts';
import { optionsMarkdown } from '../../tools/docs/option-docs.ts';

it('docs/options.md matches the registry (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(readFileSync('docs/options.md', 'utf8')).toBe(optionsMarkdown());
});

it('documents every option exactly once', () => {
  const text = optionsMarkdown();
  for (const key of OPTION_KEYS) expect(text.split(`| \`${key}\` |`), key).toHaveLength(2);
});
