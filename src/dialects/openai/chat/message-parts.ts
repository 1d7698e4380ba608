/**
 * Reads the parts of a message or a piece of one in all providers' formats. Reasoning may be in
 * `reasoning_content` (DeepSeek, Qwen, GLM, Kimi, xAI), `reasoning` (OpenRouter, Groq, Ollama,
 * newer vLLM), `reasoning_details` (OpenRouter, MiniMax) or thinking parts of the content
 * (Mistral).
 */
import {
  asText,
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
} from '../../../json/read-json.ts';

/** The text of the answer without reasoning. */
export function contentOf(message: JsonObject): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return objectsIn(message, 'content')
    .map((part) => (part.type === 'thinking' ? '' : (textIn(part, 'text') ?? '')))
    .join('');
}

/** The model's reasoning; if a provider sends it in two fields, only one is read. */
export function reasoningOf(message: JsonObject): string {
  return asText(message.reasoning_content) ?? asText(message.reasoning) ?? listedReasoning(message);
}

/** Whether reasoning has a field of its own, not only a list. */
export function hasReasoningText(message: JsonObject): boolean {
  return (textIn(message, 'reasoning_content') ?? textIn(message, 'reasoning')) !== undefined;
}

/** All fields with reasoning, for code that moves it elsewhere. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

function listedReasoning(message: JsonObject): string {
  if (message.reasoning_details === undefined && !Array.isArray(message.content)) return '';
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

/** Name and arguments of a tool call or a piece of one; object arguments become JSON text. */
export function toolCallText(call: JsonObject): string {
  const body = objectIn(call, 'function') ?? objectIn(call, 'custom') ?? call;
  const given = body.arguments ?? body.input;
  const written = isObject(given) ? JSON.stringify(given) : given;
  return (textIn(body, 'name') ?? '') + (typeof written === 'string' ? written : '');
}
