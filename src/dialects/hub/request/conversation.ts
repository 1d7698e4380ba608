/** Converts a conversation to one text, for applications that keep the history themselves. */
import { type Block, textOfBlocks } from '../blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

const SPEAKERS: Readonly<Record<HubMessage['role'], string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
};

/** The text of the last user message. */
export function lastQuestion({ messages, system }: HubRequest): string {
  const last = messages.findLast(
    ({ role, blocks }) => role === 'user' && messageText(blocks) !== '',
  );
  return last === undefined ? textOfBlocks(system, '\n') : messageText(last.blocks);
}

/** The whole conversation, each turn prefixed with its role; a single turn has no prefix. */
export function conversationText(request: HubRequest): string {
  const system = textOfBlocks(request.system, '\n');
  const opening: readonly HubMessage[] =
    system === '' ? [] : [{ role: 'system', blocks: request.system }];
  const turns = [...opening, ...request.messages].filter(
    ({ blocks }) => messageText(blocks) !== '',
  );
  if (turns.length <= 1) return messageText(turns[0]?.blocks ?? []);
  return turns.map(({ role, blocks }) => `${SPEAKERS[role]}: ${messageText(blocks)}`).join('\n\n');
}

/** The text of a message, including tool results. */
export function messageText(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) =>
    block.kind === 'tool_result'
      ? [textOfBlocks(block.content, '\n')]
      : [textOfBlocks([block], '')],
  );
  return texts.filter((text) => text !== '').join('\n');
}
