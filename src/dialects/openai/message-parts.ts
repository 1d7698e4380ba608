/**
 * What a message or a piece of one says, whatever the provider calls it. Reasoning has five spellings:
 * `reasoning_content` (DeepSeek, Qwen, GLM, Kimi, xAI), `reasoning` (OpenRouter, Groq, Ollama, newer
 * vLLM), `reasoning_details` (OpenRouter, MiniMax) and thinking parts in the content (Mistral).
 */
import { isObject, type JsonObject, objectIn, objectsIn, textIn } from '../../json/read-json.ts';

/** The text meant for the reader. */
export function contentOf(message: JsonObject): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return objectsIn(message, 'content')
    .map((part) => (part.type === 'thinking' ? '' : (textIn(part, 'text') ?? '')))
    .join('');
}

/** The model's reasoning; a provider that sends it twice under two names means one text. */
export function reasoningOf(message: JsonObject): string {
  return (
    textIn(message, 'reasoning_content') ?? textIn(message, 'reasoning') ?? listedReasoning(message)
  );
}

/** Whether reasoning stands in a field of its own, not only in a list. */
export function hasNamedThoughts(message: JsonObject): boolean {
  return (textIn(message, 'reasoning_content') ?? textIn(message, 'reasoning')) !== undefined;
}

/** Fields that hold reasoning, for those who move it elsewhere. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

function listedReasoning(message: JsonObject): string {
  const details = objectsIn(message, 'reasoning_details').map(
    (item) => textIn(item, 'text') ?? textIn(item, 'summary') ?? '',
  );
  const thoughts = objectsIn(message, 'content')
    .filter((part) => part.type === 'thinking')
    .flatMap((part) => [
      textIn(part, 'thinking') ?? '',
      ...objectsIn(part, 'thinking').map(textOf),
    ]);
  return [...details, ...thoughts].join('');
}

function textOf(part: JsonObject): string {
  return textIn(part, 'text') ?? '';
}

/** Name and arguments of a tool call or a piece of one; arguments given as an object are written out. */
export function toolCallText(call: JsonObject): string {
  const body = objectIn(call, 'function') ?? objectIn(call, 'custom') ?? call;
  const given = body.arguments ?? body.input;
  const written = isObject(given) ? JSON.stringify(given) : given;
  return (textIn(body, 'name') ?? '') + (typeof written === 'string' ? written : '');
}
