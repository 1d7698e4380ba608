/** What the script needs to know of a request, in either dialect. */
import { isObject, objectsIn, textIn } from '../../../src/json/read-json.ts';

export interface Conversation {
  /** All texts of the user up to the first answer. */
  readonly task: string;
  /** Results of tools so far. */
  readonly steps: number;
  /** Names of the declared tools. */
  readonly tools: readonly string[];
}

export function conversationIn(body: object): Conversation {
  const turns = [...objectsIn(body, 'messages'), ...objectsIn(body, 'input')];
  const first = turns.findIndex((turn) => textIn(turn, 'role') === 'assistant');
  const opening = first < 0 ? turns : turns.slice(0, first);
  const asked = opening.filter((turn) => textIn(turn, 'role') === 'user');
  const blocks = turns.flatMap((turn) => [turn, ...objectsIn(turn, 'content')]);
  return {
    task: asked.map((turn) => textsOf(turn).join('\n')).join('\n'),
    steps: blocks.filter(isResult).length,
    tools: objectsIn(body, 'tools').flatMap((tool) => textIn(tool, 'name') ?? []),
  };
}

function textsOf(turn: object): string[] {
  const content = 'content' in turn ? turn.content : undefined;
  if (typeof content === 'string') return [content];
  return Array.isArray(content)
    ? content.filter(isObject).flatMap((part) => textIn(part, 'text') ?? [])
    : [];
}

function isResult(block: object): boolean {
  const type = 'type' in block ? block.type : undefined;
  return type === 'tool_result' || type === 'function_call_output';
}
