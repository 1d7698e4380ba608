/** What the scripted model says and which tools it uses, by the task and the steps so far. */
import type { Conversation } from './conversation.ts';
import type { ScriptedAnswer, ToolUse } from './scripted-answer.ts';

/** The file that every step reads a part of. */
export const FILE = 'notes.txt';
const LINES = 12_000;
const LINES_EACH = 3;

/** Its contents. */
export function notes(): string {
  const lines = Array.from({ length: LINES }, (_, at) => {
    const [part, before] = [(at * 7_919) % 10_007, (at * 104_729) % 9_973];
    return `Line ${at + 1}: part ${part} comes after part ${before}.`;
  });
  return lines.join('\n');
}

/** A task that reads the file in so many steps. */
export function readingTask(steps: number, name = 'the file'): string {
  return `Read ${FILE} part by part (${name}), in ${steps} steps.`;
}

/** A task that starts so many agents, each of which reads the file in so many steps. */
export function dividedTask(agents: number, steps: number): string {
  return `Divide this among ${agents} agents of ${steps} steps each.`;
}

const THOUGHT =
  'The part that I read describes how the pieces of the program fit together. I compare it with the parts before, ' +
  'note the names that return, and see that none of them is explained twice. What follows should say where the ' +
  'values come from, so I read on before I change anything; the last lines left a question open that matters here.';

export function scripted(conversation: Conversation): Pick<ScriptedAnswer, 'text' | 'uses'> {
  const uses = usesFor(conversation);
  return uses.length === 0 ? { text: 'All of it is read.', uses } : { text: THOUGHT, uses };
}

function usesFor({ task, steps, tools }: Conversation): readonly ToolUse[] {
  const divided = /Divide this among (\d+) agents of (\d+) steps/.exec(task);
  if (divided !== null && tools.includes('Agent'))
    return steps > 0
      ? []
      : Array.from({ length: Number(divided[1]) }, (_, at) =>
          agentUse(`part ${at + 1}`, Number(divided[2])),
        );
  const wanted = Number(/in (\d+) steps/.exec(task)?.[1] ?? 0);
  return steps < wanted ? [shellUse(tools, steps)] : [];
}

function agentUse(name: string, steps: number): ToolUse {
  const input = {
    description: `Read ${name}`,
    prompt: readingTask(steps, name),
    subagent_type: 'general-purpose',
    run_in_background: false,
  };
  return { name: 'Agent', input };
}

/** Claude Code has `Bash`, Codex `exec_command`. */
function shellUse(tools: readonly string[], step: number): ToolUse {
  const from = step * LINES_EACH + 1;
  const command = `sed -n ${from},${from + LINES_EACH - 1}p ${FILE}`;
  return tools.includes('Bash')
    ? { name: 'Bash', input: { command, description: 'Read the next part' } }
    : { name: 'exec_command', input: { cmd: command } };
}
