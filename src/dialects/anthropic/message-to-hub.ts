/** Reads Anthropic's messages, with texts for blocks that other vendors cannot read. */
import { type JsonObject, objectsIn, textIn } from '../../json/read-json.ts';
import type { Block, ForeignBlock } from '../hub/blocks.ts';
import type { HubMessage } from '../hub/request/request.ts';
import { fromSummary } from '../hub/request/turns.ts';
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
