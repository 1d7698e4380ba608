/** The facts of a log entry as the console shows them. */

import type { JsonFields } from '../../../../src/domain/json-fields.ts';
import { attemptsIn, type LogFacts } from '../../../../src/domain/logs/log-facts.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { isObject, numberIn, parseJson, textIn } from '../../../../src/json/read-json.ts';

export interface Attempt {
  readonly channelId: number;
  readonly channelName: string;
  /** The upstream's HTTP status; 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly ms: number;
}

/** Counts by their names. */
export function countsText(counts: JsonFields = {}): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${kind} ${numberText(Number(count))}`)
    .join(', ');
}

/** The model sent to the upstream, if a mapping changed it. */
export function mappedModel({ is_model_mapped, upstream_model_name = '' }: LogFacts): string {
  return is_model_mapped === true ? upstream_model_name : '';
}

/** Number, size and quality of images: `2 × 1024x1024 hd`; '' if there were none. */
export function imagesOf({ images, image_size: size, image_quality: quality }: LogFacts): string {
  const kind = [size, quality].filter(Boolean).join(' ');
  return [images, kind].filter((part) => part !== undefined && part !== '').join(' × ');
}

export function attemptsOf(facts: LogFacts): readonly Attempt[] {
  return attemptsIn(facts).map((attempt) => ({
    channelId: numberIn(attempt, 'channel_id') ?? 0,
    channelName: textIn(attempt, 'channel_name') ?? '',
    status: numberIn(attempt, 'status') ?? 0,
    code: textIn(attempt, 'code') ?? '',
    message: textIn(attempt, 'message') ?? '',
    ms: numberIn(attempt, 'duration_ms') ?? 0,
  }));
}

export interface ChatMessage {
  readonly role: string;
  readonly text: string;
}

/** Stored messages as a conversation; a single bubble with the text if it is not a message list. */
export function chatMessages(context: string): readonly ChatMessage[] {
  const value = parseJson(context);
  const messages = Array.isArray(value) ? value.filter(isObject) : [];
  if (messages.length === 0) return context === '' ? [] : [{ role: '', text: context }];
  return messages.map(chatBubble);
}

function chatBubble(message: JsonFields): ChatMessage {
  return { role: textIn(message, 'role') ?? '', text: contentText(message.content) };
}

/** The last input: a message's content, or the text itself. */
export function inputText(input: string): string {
  const value = parseJson(input);
  return isObject(value) && 'content' in value ? contentText(value.content) : input;
}

/** Content is a text, or a list of parts of which some are text. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content, null, 2);
  return content
    .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : kindOf(part)))
    .join('\n');
}

function kindOf(part: unknown): string {
  return isObject(part) && typeof part.type === 'string' ? `[${part.type}]` : String(part);
}
