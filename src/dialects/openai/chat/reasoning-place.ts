/**
 * Where a model's signed thinking was between texts and tool calls, which vendors want back in the
 * same order. Chat has no field for it, so `id` of a detail in `reasoning_details` tells.
 */
import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../hub/blocks.ts';

/** What comes before it: UTF-16 units of content, and calls. */
export interface Place {
  readonly chars: number;
  readonly calls: number;
}

export type PlacedThought = (ThinkingBlock | RedactedThinkingBlock) & {
  readonly place?: Place | undefined;
};

export function placeId({ chars, calls }: Place): string {
  return `at-${chars}-${calls}`;
}

/** Undefined for ids of other gateways and vendors. */
export function placeOf(id: string | undefined): Place | undefined {
  const found = /^at-(\d{1,9})-(\d{1,6})$/.exec(id ?? '');
  return found === null ? undefined : { chars: Number(found[1]), calls: Number(found[2]) };
}

/** Puts each thought before what followed it; those without a place come first. */
export function withThoughtsInPlace(
  thoughts: readonly PlacedThought[],
  content: readonly Block[],
  calls: readonly Block[],
): readonly Block[] {
  const ordered: Block[] = [];
  let [left, chars, called] = [content, 0, 0];
  for (const { place = { chars, calls: called }, ...thought } of thoughts) {
    const [before, after] = splitAt(left, place.chars - chars);
    ordered.push(...before, ...calls.slice(called, place.calls), thought);
    left = after;
    chars = Math.max(chars, place.chars);
    called = Math.max(called, place.calls);
  }
  return [...ordered, ...left, ...calls.slice(called)];
}

/** Splits after so many UTF-16 units of text. */
function splitAt(blocks: readonly Block[], chars: number): readonly [Block[], Block[]] {
  const [before, after]: [Block[], Block[]] = [[], []];
  let left = chars;
  for (const block of blocks) {
    const length = block.kind === 'text' ? block.text.length : 0;
    if (left <= 0) after.push(block);
    else if (block.kind !== 'text' || length <= left) before.push(block);
    else {
      before.push({ kind: 'text', text: block.text.slice(0, left) });
      after.push({ ...block, text: block.text.slice(left) });
    }
    left -= length;
  }
  return [before, after];
}
