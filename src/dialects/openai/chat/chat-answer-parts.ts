/** Parts of chat answers shared by streams and whole answers. */
import type { JsonObject } from '../../../json/read-json.ts';
import {
  type AudioBlock,
  type Citation,
  type ImageBlock,
  parsedToolArguments,
  type Signature,
  type ThinkingBlock,
} from '../../hub/blocks.ts';
import type { AnswerContext } from '../../hub/dialect.ts';
import type { Vendor } from '../../hub/extras.ts';
import { dataUrl } from '../../hub/request/media.ts';
import { SIGNATURE_FORMATS } from './chat-message-to-hub.ts';
import { type Place, placeId } from './reasoning-place.ts';

export function answerId({ id }: AnswerContext): string {
  return `chatcmpl-${id}`;
}

/** Chat answers have no images, so an image is sent as Markdown text. */
export function imageMarkdown({ source }: ImageBlock): string {
  if (source.kind === 'base64') return `![image](${dataUrl(source)})`;
  return source.kind === 'url' ? `![image](${source.url})` : '';
}

const AUDIO_LIFETIME_SEC = 3600;

export function audioOf({ source }: AudioBlock, { id, createdSec }: AnswerContext): JsonObject {
  const data = source.kind === 'base64' ? source.data : '';
  return { id: `audio_${id}`, data, expires_at: createdSec + AUDIO_LIFETIME_SEC, transcript: '' };
}

export function writeChatCitation(
  { url, title = '', start, end }: Citation,
  range: { readonly start: number; readonly end: number },
): JsonObject {
  const span = { start_index: start ?? range.start, end_index: end ?? range.end };
  return { type: 'url_citation', url_citation: { ...span, title, url } };
}

/** Chat has no field for signatures; clients send OpenRouter's `reasoning_details` back. */
export function signedReasoningDetail(
  { text, signature }: Pick<ThinkingBlock, 'text'> & { readonly signature: Signature },
  index: number,
  place: Place,
): JsonObject {
  const format = SIGNATURE_FORMATS[signature.origin];
  const id = placeId(place);
  return { type: 'reasoning.text', text, signature: signature.value, format, index, id };
}

export function encryptedReasoningDetail(
  { origin, data }: { readonly origin: Vendor; readonly data: string },
  index: number,
  place: Place,
): JsonObject {
  const format = SIGNATURE_FORMATS[origin];
  return { type: 'reasoning.encrypted', data, format, index, id: placeId(place) };
}

/** The field used by Google's OpenAI-compatible endpoint. */
export function googleExtra({ value }: Signature): JsonObject {
  return { google: { thought_signature: value } };
}

export function isCustomTool({ tools }: AnswerContext, name: string): boolean {
  return tools.some((tool) => tool.kind === 'custom' && tool.name === name);
}

/** A custom tool was sent upstream as a function with one text argument. */
export function customInput(json: string): string {
  const args = parsedToolArguments(json);
  return typeof args.input === 'string' ? args.input : JSON.stringify(args);
}
