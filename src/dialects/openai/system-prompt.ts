/** A channel's own system prompt, put before what the client says. */
import { isObject, type JsonObject } from '../../json/read-json.ts';

/**
 * Before the first system message, with a blank line between, or as the first message when there is
 * none. `developer` is the same role in newer models. The input is not touched.
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
