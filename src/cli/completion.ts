/** Completion scripts, printed from the command tree: words first, then flags. */
import { type Noun, wordOf } from './command.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow: `''` for the nouns, `user` for its verbs, `user edit` for its flags. */
export function wordsAfter(nouns: readonly Noun[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>();
  words.set('', [...nouns.map(({ name }) => name), 'help']);
  for (const { name, verbs } of nouns) {
    const [only] = verbs;
    if (verbs.length === 1 && only !== undefined && wordOf(only.usage) === name) {
      words.set(name, longFlags(only.flags));
      continue;
    }
    words.set(
      name,
      verbs.map(({ usage }) => wordOf(usage)),
    );
    for (const { usage, flags } of verbs) words.set(`${name} ${wordOf(usage)}`, longFlags(flags));
  }
  return words;
}

function longFlags(flags: readonly string[]): string[] {
  return flags.flatMap((flag) => /--[a-z-]+/.exec(flag)?.[0] ?? []);
}

const GLOBALS = longFlags(GLOBAL_FLAGS).join(' ');

const SCRIPTS: Readonly<Record<Shell, (nouns: readonly Noun[]) => string>> = {
  bash: (nouns) => `# gateway completion for bash: source <(gateway completion bash)
_gateway_words() {
  case $1 in
${cases(nouns, (words) => `echo '${words}'`)}
  esac
}
_gateway() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path+="\${path:+ }$word"
  done
  words=$(_gateway_words "$path")
  # An argument has been typed: the flags of its command are still of use.
  [[ -z $words && $path == *' '*' '* ]] && words=$(_gateway_words "\${path% *}")
  [[ $current == -* ]] && words+=' ${GLOBALS}'
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _gateway gateway
`,
  zsh: (nouns) => `#compdef gateway
# gateway completion for zsh: gateway completion zsh > "\${fpath[1]}/_gateway"
_gateway() {
  local word at=''
  local -a found
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] || at+="\${at:+ }$word"
  done
  case $at in
${cases(nouns, (words) => `found=(${words})`)}
  esac
  [[ $PREFIX == -* ]] && found+=(${GLOBALS})
  compadd -a found
}
compdef _gateway gateway
`,
  fish: (
    nouns,
  ) => `# gateway completion for fish: gateway completion fish > ~/.config/fish/completions/gateway.fish
function __gateway_at
    set -l path (string match --invert -- '-*' (commandline -opc)[2..])
    test "$path" = "$argv"
end
${[...wordsAfter(nouns)]
  .filter(([, words]) => words.length > 0)
  .map(([at, words]) => `complete -c gateway -f -n '__gateway_at ${at}' -a '${words.join(' ')}'`)
  .join('\n')}
complete -c gateway -f -a '${GLOBALS}' -n 'string match -q -- "-*" (commandline -ct)'
`,
};

export function completionScript(shell: Shell, nouns: readonly Noun[]): string {
  return SCRIPTS[shell](nouns);
}

function cases(nouns: readonly Noun[], assign: (words: string) => string): string {
  return [...wordsAfter(nouns)]
    .filter(([, words]) => words.length > 0)
    .map(([at, words]) => `    '${at}') ${assign(words.join(' '))} ;;`)
    .join('\n');
}
