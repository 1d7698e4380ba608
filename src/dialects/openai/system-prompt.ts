/** Puts a channel's system prompt before the client's messages. */
import { isObject, type JsonObject } from '../../json/read-json.ts';

/**
 * Prepends it to the first system message with a blank line between, or adds it as the first
 * message. `developer` is the same role in newer models. Does not modify its arguments.
 */
export function withSystemPrompt(body: JsonObject, prompt: string): JsonObject {
  const { messages } = body;
  if (prompt === '' || !Array.isArray(messages)) return body;
  const at = messages.findIndex(isSystem);
  const first: unknown = messages[at];
  if (!isObject(first))
    return { ...body, messages: [{ role: 'system', content: prompt }, ...messages] };
  return {
    ...body,
    messages: messages.with(at, { ...first, content: joined(prompt, first.content) }),
  };
}

function isSystem(message: unknown): boolean {
  return isObject(message) && (message.role === 'system' || message.role === 'developer');
}

function joined(prompt: string, content: unknown): unknown {
  if (Array.isArray(content)) return [{ type: 'text', text: prompt }, ...content];
  return typeof content === 'string' && content !== '' ? `${prompt}\n\n${content}` : prompt;
}
