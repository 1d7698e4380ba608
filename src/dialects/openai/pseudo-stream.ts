/**
 * The channel setting `NON_STREAM_ONLY`: the upstream answers whole, the client wanted a stream. The
 * answer becomes one chunk per choice, with everything the message holds.
 */
import { type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';

export interface PseudoStreaming {
  readonly endpoint: 'chat' | 'completions';
  readonly clientAskedUsage: boolean;
  /** Used when the answer has none of its own. */
  readonly usage?: JsonObject;
}

/** The data of each event, the end mark included. */
export function pseudoStream(answer: JsonObject, streaming: PseudoStreaming): readonly string[] {
  const isChat = streaming.endpoint === 'chat';
  const { choices: _choices, usage: reported, ...rest } = answer;
  const head = { ...rest, object: isChat ? 'chat.completion.chunk' : 'text_completion' };
  const frames = objectsIn(answer, 'choices').map((choice, place) => ({
    ...head,
    choices: [isChat ? deltaChoice(choice, place) : { index: place, ...choice }],
  }));
  const usage = reported ?? streaming.usage;
  const last = streaming.clientAskedUsage && usage ? [{ ...head, choices: [], usage }] : [];
  return [...[...frames, ...last].map((frame) => JSON.stringify(frame)), '[DONE]'];
}

function deltaChoice(choice: JsonObject, place: number): JsonObject {
  const { message: _message, ...rest } = choice;
  const message = objectIn(choice, 'message') ?? {};
  const calls = objectsIn(message, 'tool_calls').map((call, index) => ({ index, ...call }));
  const delta = {
    ...message,
    role: textIn(message, 'role') ?? 'assistant',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return { index: place, ...rest, delta };
}
