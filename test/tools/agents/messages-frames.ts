/** A scripted answer as the events of Anthropic's Messages. */
import { randomUUID } from 'node:crypto';
import type { ScriptedAnswer, ToolUse } from './scripted-answer.ts';

export function messagesFrames(model: string, { text, uses, usage }: ScriptedAnswer): object[] {
  const { input, cached, written, output } = usage;
  const counts = {
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
  };
  const message = {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 1 },
  };
  const delta = { stop_reason: uses.length === 0 ? 'end_turn' : 'tool_use', stop_sequence: null };
  return [
    { type: 'message_start', message },
    ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text }),
    ...uses.flatMap((use, at) => toolBlock(at + 1, use)),
    { type: 'message_delta', delta, usage: { ...counts, output_tokens: output } },
    { type: 'message_stop' },
  ];
}

function toolBlock(index: number, { name, input }: ToolUse): object[] {
  const start = { type: 'tool_use', id: `toolu_${randomUUID()}`, name, input: {} };
  return block(index, start, { type: 'input_json_delta', partial_json: JSON.stringify(input) });
}

function block(index: number, content_block: object, delta: object): object[] {
  return [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
