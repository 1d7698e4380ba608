/**
 * The channel setting `NON_STREAM_ONLY`: the upstream returns a whole answer, but the client
 * requested a stream. The answer becomes one chunk per choice with the complete message.
 */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';
import type { TextEndpoint } from './stream-reader.ts';

export interface PseudoStreaming {
  readonly endpoint: TextEndpoint;
  readonly clientAskedUsage: boolean;
}

/** The data of each event, including the end marker. */
export function pseudoStream(answer: JsonObject, streaming: PseudoStreaming): readonly string[] {
  const isChat = streaming.endpoint === 'chat';
  const { choices: _choices, usage, ...rest } = answer;
  const head = { ...rest, object: isChat ? 'chat.completion.chunk' : 'text_completion' };
  const frames = objectsIn(answer, 'choices').map((choice, index) => ({
    ...head,
    choices: [isChat ? deltaChoice(choice, index) : { index: index, ...choice }],
  }));
  const last = streaming.clientAskedUsage && usage ? [{ ...head, choices: [], usage }] : [];
  return [...[...frames, ...last].map((frame) => JSON.stringify(frame)), '[DONE]'];
}

function deltaChoice(choice: JsonObject, position: number): JsonObject {
  const { message: _message, ...rest } = choice;
  const message = objectIn(choice, 'message') ?? {};
  const calls = objectsIn(message, 'tool_calls').map((call, index) => ({ index, ...call }));
  const delta = {
    ...message,
    role: textIn(message, 'role') ?? 'assistant',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return { index: position, ...rest, delta };
}
