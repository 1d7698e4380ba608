/** A conversation as one text, for applications that take a question and keep the history themselves. */
import { type Block, textOfBlocks } from './blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

const SPEAKERS: Readonly<Record<HubMessage['role'], string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
};

/** The last thing the user said. */
export function lastQuestion({ messages, system }: HubRequest): string {
  const last = messages.findLast(({ role, blocks }) => role === 'user' && wordsOf(blocks) !== '');
  return last === undefined ? textOfBlocks(system, '\n') : wordsOf(last.blocks);
}

/** Everything said so far, each turn under its speaker; a question alone stands for itself. */
export function wholeConversation(request: HubRequest): string {
  const system = textOfBlocks(request.system, '\n');
  const opening: readonly HubMessage[] =
    system === '' ? [] : [{ role: 'system', blocks: request.system }];
  const turns = [...opening, ...request.messages].filter(({ blocks }) => wordsOf(blocks) !== '');
  if (turns.length <= 1) return wordsOf(turns[0]?.blocks ?? []);
  return turns.map(({ role, blocks }) => `${SPEAKERS[role]}: ${wordsOf(blocks)}`).join('\n\n');
}

/** What a message says in words, results of tools included. */
export function wordsOf(blocks: readonly Block[]): string {
  const said = blocks.flatMap((block) =>
    block.kind === 'tool_result'
      ? [textOfBlocks(block.content, '\n')]
      : [textOfBlocks([block], '')],
  );
  return said.filter((text) => text !== '').join('\n');
}
