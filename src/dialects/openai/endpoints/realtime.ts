/**
 * The parts of the Realtime protocol that the gateway reads: JSON events over a WebSocket. Most
 * events pass through unchanged; the gateway inspects the model, usage and errors. Both beta and
 * current event names are supported (developers.openai.com, "Realtime API").
 */

import { emptyUsage, readOpenAiUsage, type Usage } from '../../../domain/pricing/usage.ts';
import { transcriptionTokens } from '../../../domain/token-count/token-estimate.ts';
import { renderJson, topMembers } from '../../../json/edit-json-text.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../../json/read-json.ts';

/** One event, as text and as an object. */
export interface RealtimeEvent {
  readonly text: string;
  readonly json: JsonObject;
  readonly type: string;
}

/** Undefined if the text is not a JSON object. */
export function readEvent(text: string): RealtimeEvent | undefined {
  const json = parseJson(text);
  return isObject(json) ? { text, json, type: textIn(json, 'type') ?? '' } : undefined;
}

/**
 * A duplicate name at the top level of the event. Parsers differ in which one they use, so the
 * gateway and the upstream could read different values.
 */
export function duplicateFieldName({ text }: RealtimeEvent): string | undefined {
  const seen = new Set<string>();
  for (const { name } of topMembers(text)) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** The model in an event's session; undefined if there is none. */
export function sessionModel({ json }: RealtimeEvent): unknown {
  return objectIn(json, 'session')?.model ?? undefined;
}

/** The event with this model in its session. */
export function withSessionModel(event: RealtimeEvent, model: string): RealtimeEvent {
  return withEventFields(event, { session: { ...objectIn(event.json, 'session'), model } });
}

/** Usage information in a server event. */
export type RealtimeUsage =
  | { readonly kind: 'begun'; readonly responseId: string }
  | {
      readonly kind: 'done';
      readonly responseId: string;
      readonly usage: Usage | undefined;
      /** The error; undefined for a response that was completed, cut short or cancelled. */
      readonly failure: JsonObject | undefined;
    }
  | { readonly kind: 'delivered'; readonly text: string; readonly audioBytes: number }
  | { readonly kind: 'transcribed'; readonly usage: Usage }
  | { readonly kind: 'none' };

const NOTHING = { kind: 'none' } as const;

export function realtimeUsageOf({ json, type }: RealtimeEvent): RealtimeUsage {
  if (type === 'response.created') return { kind: 'begun', responseId: responseIdOf(json) };
  if (type === 'response.done') return usageWhenDone(json);
  if (/^response\.(output_)?audio\.delta$/.test(type))
    return { kind: 'delivered', text: '', audioBytes: base64Bytes(textIn(json, 'delta') ?? '') };
  if (/^response\..*\.delta$/.test(type))
    return { kind: 'delivered', text: textIn(json, 'delta') ?? '', audioBytes: 0 };
  if (type === 'conversation.item.input_audio_transcription.completed') return transcribed(json);
  return NOTHING;
}

function responseIdOf(json: JsonObject): string {
  return textIn(objectIn(json, 'response'), 'id') ?? '';
}

function usageWhenDone(json: JsonObject): RealtimeUsage {
  const response = objectIn(json, 'response');
  const details = objectIn(response, 'status_details');
  const failure =
    textIn(response, 'status') === 'failed' ? (objectIn(details, 'error') ?? {}) : undefined;
  return {
    kind: 'done',
    responseId: responseIdOf(json),
    usage: readOpenAiUsage(response?.usage),
    failure,
  };
}

/** The usage of the transcription model, in tokens or as a duration. */
function transcribed(json: JsonObject): RealtimeUsage {
  const reported = objectIn(json, 'usage');
  const seconds =
    textIn(reported, 'type') === 'duration' ? numberIn(reported, 'seconds') : undefined;
  const usage =
    seconds === undefined
      ? readOpenAiUsage(reported)
      : { ...emptyUsage(), input: transcriptionTokens(seconds) };
  return usage === undefined ? NOTHING : { kind: 'transcribed', usage };
}

/** The transcription model in the server's latest session event; '' for none. */
export function transcriptionModel({ json }: RealtimeEvent): string {
  const session = objectIn(json, 'session');
  const input = objectIn(objectIn(session, 'audio'), 'input');
  const beta = objectIn(session, 'input_audio_transcription');
  return textIn(objectIn(input, 'transcription') ?? beta, 'model') ?? '';
}

/** What a client event adds to the prompt: audio bytes and text. */
export function promptOf({ json, type }: RealtimeEvent): { audioBytes: number; text: string } {
  if (type === 'input_audio_buffer.append')
    return { audioBytes: base64Bytes(textIn(json, 'audio') ?? ''), text: '' };
  if (type === 'conversation.item.create') return itemPrompt(objectIn(json, 'item'));
  const reported = objectIn(json, type === 'session.update' ? 'session' : 'response');
  const items = objectsIn(reported, 'input').map(itemPrompt);
  return {
    audioBytes: items.reduce((sum, { audioBytes }) => sum + audioBytes, 0),
    text: [textIn(reported, 'instructions') ?? '', ...items.map(({ text }) => text)].join(''),
  };
}

function itemPrompt(item: JsonObject | undefined): { audioBytes: number; text: string } {
  const parts = objectsIn(item, 'content');
  const texts = parts.map((part) => textIn(part, 'text') ?? '');
  const sounds = parts.map((part) => base64Bytes(textIn(part, 'audio') ?? ''));
  return {
    audioBytes: sounds.reduce((sum, bytes) => sum + bytes, 0),
    text: [...texts, textIn(item, 'output') ?? ''].join(''),
  };
}

function base64Bytes(text: string): number {
  return Math.floor((text.length * 3) / 4);
}

export interface AudioRates {
  readonly inputBytesPerSec: number;
  readonly outputBytesPerSec: number;
}

/** 16-bit PCM at 24 kHz, the default of a session. */
export const DEFAULT_RATES: AudioRates = { inputBytesPerSec: 48_000, outputBytesPerSec: 48_000 };

/** From `session.created` or `session.updated`. */
export function audioRates({ json }: RealtimeEvent): AudioRates {
  const session = objectIn(json, 'session');
  const audio = objectIn(session, 'audio');
  return {
    inputBytesPerSec: bytesPerSec(
      objectIn(objectIn(audio, 'input'), 'format') ?? session?.input_audio_format,
    ),
    outputBytesPerSec: bytesPerSec(
      objectIn(objectIn(audio, 'output'), 'format') ?? session?.output_audio_format,
    ),
  };
}

/** G.711 has 8,000 bytes per second. */
function bytesPerSec(format: unknown): number {
  const name = isObject(format) ? textIn(format, 'type') : format;
  if (typeof name === 'string' && /g711|pcmu|pcma/.test(name)) return 8_000;
  return 2 * (numberIn(format, 'rate') ?? 24_000);
}

export interface RealtimeErrorFacts {
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
}

/** `about`: the id of the client event that caused the error, if any. */
export function errorEvent(eventId: string, error: RealtimeErrorFacts, about?: unknown): string {
  const { type, code, message, param } = error;
  const event_id = typeof about === 'string' ? about : null;
  return JSON.stringify({
    type: 'error',
    event_id: eventId,
    error: { type, code, message, param, event_id },
  });
}

/** Cancels a response ('' = the current one), which makes the server report its usage. */
export function cancelEvent(responseId: string): string {
  const which = responseId === '' ? {} : { response_id: responseId };
  return JSON.stringify({ type: 'response.cancel', ...which });
}

/** Whether the response does not belong to the conversation, and may run beside another one. */
export function isOutOfBand({ json }: RealtimeEvent): boolean {
  return textIn(objectIn(json, 'response'), 'conversation') === 'none';
}

/** The output limit of one response; the second is the beta's name. */
const LIMIT_FIELDS = ['max_output_tokens', 'max_response_output_tokens'] as const;
type LimitHolder = 'session' | 'response';

function limitHolder(type: string): LimitHolder {
  return type.startsWith('session.') ? 'session' : 'response';
}

/** The output limit of one response that the event sets; undefined for none, or for `inf`. */
export function outputLimitIn({ json, type }: RealtimeEvent): number | undefined {
  const holder = objectIn(json, limitHolder(type));
  const [limit] = LIMIT_FIELDS.flatMap((name) => numberIn(holder, name) ?? []);
  return limit;
}

/** The event with no higher output limit than `most`; unchanged if it sets none. */
export function withinOutputLimit(event: RealtimeEvent, most: number): RealtimeEvent {
  const { json, type } = event;
  const name = limitHolder(type);
  const holder = objectIn(json, name);
  const set = LIMIT_FIELDS.filter((field) => isObject(holder) && holder[field] !== undefined);
  if (set.length === 0) return event;
  const lowered = set.map((field) => [field, Math.min(most, numberIn(holder, field) ?? most)]);
  return withEventFields(event, { [name]: { ...holder, ...Object.fromEntries(lowered) } });
}

/** Sets the output limit of every response of a session. */
export function outputLimitUpdate(limit: number, isBeta: boolean): string {
  const [field, betaField] = LIMIT_FIELDS;
  return sessionUpdate(isBeta ? { [betaField]: limit } : { type: 'realtime', [field]: limit });
}

/** The event with other values of these fields. */
export function withEventFields(
  { text, json, type }: RealtimeEvent,
  fields: JsonObject,
): RealtimeEvent {
  const next = { ...json, ...fields };
  return { text: renderJson(text, json, next), json: next, type };
}

export function sessionUpdate(session: JsonObject): string {
  return JSON.stringify({ type: 'session.update', session });
}
