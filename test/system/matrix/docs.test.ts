import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compatibilityMarkdown } from './docs.ts';

test('docs/compatibility.md says what the tables say (npx tsx test/system/matrix/print-docs.ts)', () => {
  expect(readFileSync('docs/compatibility.md', 'utf8')).toBe(compatibilityMarkdown());
});
