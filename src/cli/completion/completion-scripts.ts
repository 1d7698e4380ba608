/**
 * Completion scripts. They contain no words: each calls `gateway completion <shell> -- <words>`, so
 * that the candidates match the installed version and include the site's names.
 */
import path from 'node:path';
import type { Environment } from '../process/process-io.ts';
import type { SHELLS } from './candidates.ts';

export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# gateway completion for bash: source <(gateway completion bash)
_gateway() {
  local line quoted
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v quoted '%q' "$line"
    COMPREPLY+=("$quoted")
  done < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _gateway gateway
`,
  zsh: `#compdef gateway
# gateway completion for zsh: gateway completion zsh > "\${fpath[1]}/_gateway"
_gateway() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
if [[ "\${funcstack[1]}" == _gateway ]]; then _gateway "$@"; else compdef _gateway gateway; fi
`,
  fish: `# gateway completion for fish: gateway completion fish > ~/.config/fish/completions/gateway.fish
function __gateway_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion fish -- $words[2..-1] 2>/dev/null
end
complete -c gateway -f -a '(__gateway_words)'
complete -c gateway -n 'test (count (__gateway_words)) -eq 0' -F
`,
  powershell: `# gateway completion for PowerShell: gateway completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName gateway -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  # Older ones drop an argument that is empty.
  if ($wordToComplete -eq '') { $words += '${'""'}' }
  & gateway completion powershell -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/** Where the shell loads it automatically; zsh and PowerShell need a line in their start file. */
export function scriptPath(shell: Shell, env: Environment): string {
  const home = env.HOME ?? '';
  const config = env.XDG_CONFIG_HOME || path.join(home, '.config');
  const data = env.XDG_DATA_HOME || path.join(home, '.local', 'share');
  const paths: Readonly<Record<Shell, string>> = {
    bash: path.join(data, 'bash-completion', 'completions', 'gateway'),
    zsh: path.join(env.ZDOTDIR || home, '.zfunc', '_gateway'),
    fish: path.join(config, 'fish', 'completions', 'gateway.fish'),
    powershell: path.join(config, 'powershell', 'gateway-completion.ps1'),
  };
  return paths[shell];
}

/** The line to add to the shell's start file; empty if none is needed. */
export function startLine(shell: Shell, file: string): string {
  if (shell === 'zsh')
    return `fpath=(${path.dirname(file)} $fpath); autoload -Uz compinit && compinit`;
  return shell === 'powershell' ? `. ${file}` : '';
}
