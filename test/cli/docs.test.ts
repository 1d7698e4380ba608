import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NOUNS } from '../../src/cli/commands/all.ts';
import { completionScript, SHELLS, wordsAfter } from '../../src/cli/completion.ts';
import { cliMarkdown } from '../../src/cli/docs.ts';

test('docs/cli.md says what the command tree says (npx tsx src/cli/print-docs.ts)', () => {
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(cliMarkdown());
});

test('completion knows nouns, their verbs and the flags of each', () => {
  const words = wordsAfter(NOUNS);
  expect(words.get('')).toContain('channel');
  expect(words.get('channel')).toEqual(expect.arrayContaining(['list', 'create', 'test']));
  expect(words.get('token create')).toEqual(expect.arrayContaining(['--if-absent', '--expires']));
  expect(words.get('serve')).toContain('--port');
});

test.each(SHELLS)('the %s script completes every command', (shell) => {
  const script = completionScript(shell, NOUNS);
  for (const [at] of wordsAfter(NOUNS)) expect(script).toContain(at);
});
