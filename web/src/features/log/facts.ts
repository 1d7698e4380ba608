/** A log entry's `other`: JSON written by many releases, so every field is validated. */

import { numberText } from '../../../../src/domain/text/number-text.ts';
import { isObject, parseJson } from '../../../../src/json/read-json.ts';

type Facts = Readonly<Record<string, unknown>>;

export interface Attempt {
  readonly channelId: number;
  readonly channelName: string;
  /** The upstream's HTTP status; 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly ms: number;
}

/** Caches the last parse, because the cells of a row read it one after another. */
let last: { readonly other: string; readonly facts: Facts | undefined } | undefined;

/** undefined for a text that is not a JSON object; an empty text counts as an empty object. */
export function factsOf(other: string): Facts | undefined {
  if (last?.other !== other) last = { other, facts: readFacts(other) };
  return last.facts;
}

function readFacts(other: string): Facts | undefined {
  if (other === '') return {};
  const value = parseJson(other);
  return isObject(value) ? value : undefined;
}

/** A text or number as text; '' for everything else. */
export function textFact(facts: Facts | undefined, name: string): string {
  const value = facts?.[name];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function numberFact(facts: Facts | undefined, name: string): number | undefined {
  const value = facts?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Counts by their names. */
export function countsFact(facts: Facts | undefined, name: string): string {
  const counts = Object.entries(Object(facts?.[name]));
  return counts.map(([kind, count]) => `${kind} ${numberText(Number(count))}`).join(', ');
}

/** The model sent to the upstream, if a mapping changed it. */
export function mappedModel(facts: Facts | undefined): string {
  return facts?.is_model_mapped === true ? textFact(facts, 'upstream_model_name') : '';
}

/** Number, size and quality of images: `2 × 1024x1024 hd`; '' if there were none. */
export function imagesOf(facts: Facts | undefined): string {
  const count = textFact(facts, 'images');
  const size = textFact(facts, 'image_size');
  const kind = [size, textFact(facts, 'image_quality')].filter((word) => word !== '').join(' ');
  return [count, kind].filter((part) => part !== '').join(' × ');
}

/** Ids of the channels in the order they were tried. */
export function requestedChannels(facts: Facts | undefined): readonly string[] {
  const channels = adminInfo(facts)?.use_channel;
  return Array.isArray(channels) ? channels.map(String) : [];
}

export function attemptsOf(facts: Facts | undefined): readonly Attempt[] {
  const attempts = adminInfo(facts)?.attempts;
  if (!Array.isArray(attempts)) return [];
  return attempts.filter(isObject).map((attempt) => ({
    channelId: numberFact(attempt, 'channel_id') ?? 0,
    channelName: textFact(attempt, 'channel_name'),
    status: numberFact(attempt, 'status') ?? 0,
    code: textFact(attempt, 'code'),
    message: textFact(attempt, 'message'),
    ms: numberFact(attempt, 'duration_ms') ?? 0,
  }));
}

function adminInfo(facts: Facts | undefined): Facts | undefined {
  const info = facts?.admin_info;
  return isObject(info) ? info : undefined;
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
  return messages.map(bubbleOf);
}

function bubbleOf(message: Facts): ChatMessage {
  return { role: textFact(message, 'role'), text: contentText(message.content) };
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
