import { readFileSync } from 'node:fs';
import { readdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { Cli } from '../../../src/cli/cli.ts';
import { NOUNS } from '../../../src/cli/commands/all-commands.ts';
import { candidates, SHELLS } from '../../../src/cli/completion/candidates.ts';
import { completionScript } from '../../../src/cli/completion/completion-scripts.ts';
import { createProgram } from '../../../src/cli/program/program.ts';
import { run } from '../../../src/cli/run.ts';
import { ERRORS } from '../../../src/domain/errors/errors.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { cliMarkdown } from '../../tools/docs/cli-docs.ts';
import { errorsMarkdown } from '../../tools/docs/error-docs.ts';
import { terminal } from '../terminal.ts';

test('docs/cli.md matches the command tree (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(readFileSync('docs/cli.md', 'utf8')).toBe(cliMarkdown());
});

test('the help of every command says what it does, then shows examples and usage', () => {
  const program = createProgram(new Cli(terminal(), 'en'), NOUNS, async () => undefined);
  const helps = program.commands.flatMap((noun) =>
    [noun, ...noun.commands].map((command) => command.helpInformation()),
  );
  expect(helps.length).toBeGreaterThan(NOUNS.length);
  for (const help of helps) {
    const [what, examples, usage] = help.split('\n\n');
    expect(what).toMatch(/\.$/);
    expect(examples).toMatch(/^Examples:\n {2}gateway /);
    expect(usage).toMatch(/^Usage:\n {2}gateway /);
  }
});

test('docs/errors.md matches the catalogue of errors (npx tsx test/tools/docs/print-docs.ts)', () => {
  expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorsMarkdown());
});

test('docs/errors.md contains every error once', () => {
  const rows = errorsMarkdown().matchAll(/^\|.*\| \d{3} `(\w+)` \| \d+ \|/gm);
  const managed = errorsMarkdown().matchAll(/^\| \d{3} `(\w+)` \| \d+ \|/gm);
  const codes = [...rows, ...managed].map(([, code]) => code);
  expect(codes.sort()).toEqual(Object.keys(ERRORS).sort());
});

const NAMES: Readonly<Record<string, readonly string[]>> = {
  channel: ['openai-main', 'openai-second', 'claude'],
  user: ['alice', 'root'],
};

test.each([
  ['tok', ['token']],
  ['channel cr', ['create']],
  ['channel edit main --pri', ['--priority']],
  ['user list --js', ['--json']],
  ['channel get op', ['openai-main', 'openai-second']],
  ['channel test claude openai-s', ['openai-second']],
  ['channel tag set prod cl', ['claude']],
  ['channel tag ren', ['rename']],
  ['log list --channel cl', ['claude']],
  ['log list --user alice --ty', ['--type']],
  ['log list --type er', ['error']],
  ['--profile x user get al', ['alice']],
  ['user list -o js', ['json', 'jsonl']],
  ['channel list --status=au', []],
  ['help cha', ['channel', 'chat']],
  ['completion z', ['zsh']],
  ['tokens li', ['list']],
  ['tokens ls --st', ['--status']],
  ['top --scr', ['--screen', '--screen-reader']],
  ['price import pri', []],
  ['nonsense x', []],
])('completes "gateway %s"', async (typed, expected) => {
  const names = async (kind: string) => NAMES[kind] ?? [];
  expect(await candidates(NOUNS, typed.split(' '), names)).toEqual(expected);
});

test('the bash completion calls the command and quotes its results', async () => {
  const script = `gateway() { printf '%s\n' "$@" "two words"; }
${completionScript('bash')}
COMP_WORDS=(gateway channel get); COMP_CWORD=3; COMP_WORDS+=('')
_gateway; printf '%s\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execa('bash', ['-c', script]);
  expect(stdout.split('\n')).toEqual([
    'completion',
    'bash',
    '--',
    'channel',
    'get',
    "''",
    'two\\ words',
  ]);
});

test('completes names from the site, caches them for a minute and creates nothing', async () => {
  const folder = tempFolder();
  const invoke = async (words: readonly string[], stdin = '') => {
    const env = { HOME: folder, XDG_CACHE_HOME: `${folder}/cache`, GATEWAY_DATA: `${folder}/data` };
    const io = terminal({ env, stdin });
    const exit = await run(words, io);
    return { exit, out: io.stdout() };
  };
  const complete = async () => (await invoke(['completion', 'bash', '--', 'user', 'get', ''])).out;
  expect(await complete()).toBe('');
  expect(await readdir(folder)).toEqual([]);
  await invoke(['setup', '--username', 'root', '--password-stdin'], 'password-1');
  expect(await complete()).toBe('root\n');
  const create = ['user', 'create', '--username', 'alice', '--password-stdin'];
  expect(await invoke(create, 'password-1')).toMatchObject({ exit: 0 });
  expect(await complete()).toBe('root\n');
  const cache = path.join(folder, 'cache', 'ai-model-gateway');
  for (const name of await readdir(cache)) {
    const file = path.join(cache, name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await utimes(file, 0, 0);
  }
  expect(await complete()).toBe('alice\nroot\n');
});

test.each(SHELLS)(
  'installs the completion script of %s where the shell looks for it',
  async (shell) => {
    const folder = tempFolder();
    const io = terminal({ env: { HOME: folder } });
    expect(await run(['completion', shell, '--install'], io)).toBe(0);
    const file = /(\/\S+?)[;,]/.exec(io.stderr())?.[1] ?? '';
    expect(readFileSync(file, 'utf8')).toBe(completionScript(shell));
  },
);
