/** `gateway completion`: teaches a shell the words of this command. */
import { command, type Noun } from '../command.ts';
import { completionScript, SHELLS } from '../completion.ts';

/** `nouns` is read when the command runs: the tree holds this very command. */
export function completionOf(nouns: () => readonly Noun[]): Noun {
  const run = command({
    usage: 'completion <shell>',
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    async run(cli, { shell }) {
      const chosen = cli.values.choice('<shell>', shell, SHELLS);
      cli.io.out(completionScript(chosen, nouns()));
    },
  });
  return { name: 'completion', verbs: [run] };
}
