import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { optionsMarkdown } from '../../../src/domain/options/docs.ts';
import { OPTION_KEYS } from '../../../src/domain/options/registry.ts';

it('docs/options.md matches the registry (npx tsx src/cli/print-docs.ts)', () => {
  expect(readFileSync('docs/options.md', 'utf8')).toBe(optionsMarkdown());
});

it('documents every option exactly once', () => {
  const text = optionsMarkdown();
  for (const key of OPTION_KEYS) expect(text.split(`| \`${key}\` |`), key).toHaveLength(2);
});
