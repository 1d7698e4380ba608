/**
 * The channel setting `thinking_to_content`: sends reasoning as content between `<think>` tags, for
 * clients that read only content. The tag is opened once per choice and closed before other
 * content.
 */
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../../json/read-json.ts';
import { contentOf, REASONING_FIELDS, reasoningOf } from '../chat/message-parts.ts';
import type { FrameReshaper } from './stream-reader.ts';

const OPENING = '<think>\n';
const CLOSING = '\n</think>\n';

export class ThinkingToContent implements FrameReshaper {
  readonly #thinking = new Set<number>();

  reshape(frame: JsonObject): JsonObject {
    const { choices } = frame;
    if (!Array.isArray(choices)) return frame;
    const turned = choices.map((choice: unknown, index) =>
      isObject(choice) ? this.#choice(choice, index) : choice,
    );
    return turned.every((choice, index) => choice === choices[index])
      ? frame
      : { ...frame, choices: turned };
  }

  #choice(choice: JsonObject, position: number): JsonObject {
    const index = typeof choice.index === 'number' ? choice.index : position;
    const delta = objectIn(choice, 'delta') ?? {};
    const reasoning = reasoningOf(delta);
    const content = contentOf(delta);
    const isOver = content !== '' || endsThinking(choice, delta);
    const opening = reasoning !== '' && !this.#thinking.has(index) ? OPENING : '';
    if (reasoning !== '') this.#thinking.add(index);
    const closing = isOver && this.#thinking.delete(index) ? CLOSING : '';
    const text = opening + reasoning + closing + content;
    const hasReasoning = REASONING_FIELDS.some((name) => delta[name] !== undefined);
    if (text === content && !hasReasoning) return choice;
    return {
      ...choice,
      delta: { ...withoutReasoning(delta), ...(text === '' ? {} : { content: text }) },
    };
  }
}

function endsThinking(choice: JsonObject, delta: JsonObject): boolean {
  return (
    textIn(choice, 'finish_reason') !== undefined ||
    objectsIn(delta, 'tool_calls').length > 0 ||
    textIn(delta, 'refusal') !== undefined
  );
}

function withoutReasoning(delta: JsonObject): JsonObject {
  const fields: readonly string[] = REASONING_FIELDS;
  return Object.fromEntries(Object.entries(delta).filter(([name]) => !fields.includes(name)));
}
