/** `gateway completion`: prints and installs shell completions. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolder } from '../../../folders.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { candidates, SHELLS } from '../../completion/candidates.ts';
import {
  completionScript,
  type Shell,
  scriptPath,
  startLine,
} from '../../completion/completion-scripts.ts';
import { withWriteErrors } from '../../process/write-failure.ts';

/** `nouns` is a function because the command tree contains this command. */
export function completionOf(nouns: () => readonly Noun[]): Noun {
  const run = command({
    usage: 'completion <shell> [words...]',
    flags: ['--install'],
    examples: [
      'completion bash --install',
      'completion zsh > ~/.zfunc/_gateway',
      'completion fish',
      'completion powershell',
      'completion bash -- channel ge',
    ],
    async run(cli, { shell, words, install = false }) {
      const chosen = cli.values.choice('<shell>', shell, SHELLS);
      if (install) return installed(cli, chosen);
      if (words.length === 0) return cli.io.out(completionScript(chosen));
      // An empty word, which some shells pass as `""`.
      const typed = words.map((word) => (word === '""' ? '' : word));
      const { completionNames } = await import('../../completion/name-candidates.ts');
      const found = await candidates(nouns(), typed, (kind) => completionNames(cli, kind, typed));
      cli.io.out(found.map((word) => `${word}\n`).join(''));
    },
  });
  return { name: 'completion', verbs: [run] };
}

async function installed(cli: Cli, shell: Shell): Promise<void> {
  const file = scriptPath(shell, cli.io.env);
  if (cli.globals.dryRun) {
    cli.io.out(`+ ${file}\n`);
    return cli.note(cli.t('cli.notes.dry_run'));
  }
  await withWriteErrors(file, async () => {
    createFolder(path.dirname(file), 0o777);
    await writeFile(file, completionScript(shell));
  });
  cli.note(cli.t('cli.notes.completion_installed', { path: file }));
  const line = startLine(shell, file);
  if (line !== '') cli.note(cli.t('cli.notes.completion_line', { line }));
}
