/** Prepares the tool calls of a whole answer for the client. */
import type { Block } from '../blocks.ts';
import type { AnswerContext } from '../dialect.ts';
import { clientToolNames, type NameRule, uniqueCallId } from './tool-names.ts';

/** Restores the client's tool names and makes call ids unique. */
export function withClientToolCalls(
  blocks: readonly Block[],
  context: AnswerContext,
  rule: NameRule,
): readonly Block[] {
  const names = clientToolNames(context.tools, rule);
  const seen = new Set<string>();
  return blocks.map((block, index) => {
    if (block.kind !== 'tool_call') return block;
    const id = uniqueCallId(block.id, seen, context.id, index);
    return { ...block, id, name: names.get(block.name) ?? block.name };
  });
}
