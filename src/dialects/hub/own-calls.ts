/** Prepares the tool calls of a whole answer for the client. */
import type { Block } from './blocks.ts';
import type { AnswerContext } from './dialect.ts';
import { givenNames, madeCallId, type NameRule } from './tool-names.ts';

/** Restores the client's tool names and makes call ids unique. */
export function withOwnCalls(
  blocks: readonly Block[],
  context: AnswerContext,
  rule: NameRule,
): readonly Block[] {
  const names = givenNames(context.tools, rule);
  const seen = new Set<string>();
  return blocks.map((block, place) => {
    if (block.kind !== 'tool_call') return block;
    const isOwn = block.id !== '' && !seen.has(block.id);
    const id = isOwn ? block.id : madeCallId(context.id, place);
    seen.add(id);
    return { ...block, id, name: names.get(block.name) ?? block.name };
  });
}
