import { readFileSync } from 'node:fs';
import { execa } from 'execa';
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

test.each(SHELLS)(
  'the %s script completes every command that has anything to complete',
  (shell) => {
    const script = completionScript(shell, NOUNS);
    for (const [at, words] of wordsAfter(NOUNS)) {
      if (words.length > 0) expect(script).toContain(at);
    }
  },
);

test.each([
  ['tok', ['token']],
  ['channel cr', ['create']],
  ['channel edit main --pri', ['--priority']],
  ['user list --js', ['--json']],
  ['user edit ann vip', []],
])('bash completes "gateway %s"', async (typed, expected) => {
  const words = ['gateway', ...typed.split(' ')];
  const script = `${completionScript('bash', NOUNS)}
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _gateway; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await execa('bash', ['-c', script]);
  expect(stdout.split(' ').filter((word) => word !== '')).toEqual(expected);
});
