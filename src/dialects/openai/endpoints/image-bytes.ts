/** Embeds images of a chat request as bytes, for servers that do not fetch URLs. */
import { isObject, type JsonObject, objectIn, textIn } from '../../../json/read-json.ts';
import { dataUrl, type FetchedMedia } from '../../hub/request/media.ts';

/** Replaces image URLs with the fetched images; returns the same object if there are none. */
export function withImageBytes(
  body: JsonObject,
  media: ReadonlyMap<string, FetchedMedia>,
): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || media.size === 0) return body;
  const turned = messages.map((message: unknown) =>
    isObject(message) && Array.isArray(message.content)
      ? { ...message, content: message.content.map((part: unknown) => withBytes(part, media)) }
      : message,
  );
  return { ...body, messages: turned };
}

function withBytes(part: unknown, media: ReadonlyMap<string, FetchedMedia>): unknown {
  const image = objectIn(part, 'image_url');
  const fetched = media.get(textIn(image, 'url') ?? '');
  if (!isObject(part) || fetched === undefined) return part;
  const { mediaType, data } = fetched;
  return { ...part, image_url: { ...image, url: dataUrl({ kind: 'base64', mediaType, data }) } };
}
