/** Calls of a whole answer, as the client is told of them. */
import type { Block } from './blocks.ts';
import type { AnswerContext } from './dialect.ts';
import { givenNames, madeCallId, type NameRule } from './tool-names.ts';

/** With the client's own names of tools, and ids that name one call each. */
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
