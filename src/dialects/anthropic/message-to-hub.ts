/** Reads Anthropic's messages, with texts for blocks that other vendors cannot read. */
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import type { Block, ForeignBlock } from '../hub/blocks.ts';
import type { HubMessage } from '../hub/request/request.ts';
import { readBlocks } from './block-to-hub.ts';

/** Undefined for a block that has none. */
type TextOf = (block: ForeignBlock) => string | undefined;

export function readMessages(body: JsonObject): readonly HubMessage[] {
  const found = new Map(objectsIn(body, 'tools').map((tool) => [tool.name, tool]));
  const textOf: TextOf = ({ value, text }) => {
    if (value.type === 'compaction') return textIn(value, 'content');
    if (value.type !== 'tool_reference') return text;
    const tool = found.get(value.tool_name);
    return [textIn(value, 'tool_name'), textIn(tool, 'description')].filter(Boolean).join(': ');
  };
  return fromSummary(objectsIn(body, 'messages').map((message) => readMessage(message, textOf)));
}

function readMessage(message: JsonObject, textOf: TextOf): HubMessage {
  const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user';
  return { role, blocks: readBlocks(message.content).map((block) => readable(block, textOf)) };
}

function readable<T extends Block>(block: T, textOf: TextOf): T {
  if (block.kind === 'foreign') return { ...block, text: textOf(block) };
  if (block.kind !== 'tool_result') return block;
  return { ...block, content: block.content.map((part) => readable(part, textOf)) };
}

/** Without what is before the last readable summary, which replaces it. */
function fromSummary(messages: readonly HubMessage[]): readonly HubMessage[] {
  const at = messages.findLastIndex(({ blocks }) => blocks.some(isSummary));
  const [first, ...rest] = messages.slice(Math.max(0, at));
  if (at === -1 || first === undefined) return messages;
  return [{ ...first, blocks: first.blocks.slice(first.blocks.findLastIndex(isSummary)) }, ...rest];
}

function isSummary(block: Block): boolean {
  return block.kind === 'foreign' && block.value.type === 'compaction' && block.text !== undefined;
}
