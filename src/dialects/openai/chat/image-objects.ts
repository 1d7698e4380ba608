/** Writes images of a chat request in OpenAI's form. */
import { isObject, type JsonObject, textIn } from '../../../json/read-json.ts';

/**
 * Mistral's SDK may send the URL of an image as text, which other servers refuse; all, Mistral
 * included, accept an object. Returns the same object if there is no such image.
 */
export function withImageObjects(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasImageText)) return body;
  const turned = messages.map((message: unknown) =>
    hasImageText(message) ? { ...message, content: message.content.map(withObject) } : message,
  );
  return { ...body, messages: turned };
}

function hasImageText(
  message: unknown,
): message is JsonObject & { readonly content: readonly unknown[] } {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isImageText);
}

function isImageText(part: unknown): part is JsonObject {
  return textIn(part, 'image_url') !== undefined;
}

function withObject(part: unknown): unknown {
  return isImageText(part) ? { ...part, image_url: { url: part.image_url } } : part;
}
