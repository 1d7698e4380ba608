/**
 * The Realtime protocol as far as the gateway reads it: JSON events over a WebSocket. Nearly all of
 * them pass through as they are; what is looked at is the model, what was consumed, and errors. Names
 * of the beta and of today's events are both understood (developers.openai.com, "Realtime API").
 */

import { emptyUsage, readOpenAiUsage, type Usage } from '../../domain/pricing/usage.ts';
import { transcriptionTokens } from '../../domain/token-count/token-estimate.ts';
import { renderJson, topMembers } from '../../json/edit-json-text.ts';
import {
  isObject,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseJson,
  textIn,
} from '../../json/read-json.ts';

/** One event: its text, and the same as an object. */
export interface RealtimeEvent {
  readonly text: string;
  readonly json: JsonObject;
  readonly type: string;
}

/** Undefined for text that is no JSON object. */
export function readEvent(text: string): RealtimeEvent | undefined {
  const json = parseJson(text);
  return isObject(json) ? { text, json, type: textIn(json, 'type') ?? '' } : undefined;
}

/**
 * A name that stands twice at the top of the event. Readers disagree about which of the two counts,
 * so that one could be shown to the gateway and the other to the upstream.
 */
export function repeatedName({ text }: RealtimeEvent): string | undefined {
  const seen = new Set<string>();
  for (const { name } of topMembers(text)) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** The model that an event's session names; undefined when it names none. */
export function sessionModel({ json }: RealtimeEvent): unknown {
  return objectIn(json, 'session')?.model ?? undefined;
}

/** The event's text, its session naming this model. */
export function withSessionModel({ text, json }: RealtimeEvent, model: string): string {
  return renderJson(text, json, { ...json, session: { ...objectIn(json, 'session'), model } });
}

/** What a server event tells of consumption. */
export type Consumption =
  | { readonly kind: 'begun'; readonly responseId: string }
  | {
      readonly kind: 'done';
      readonly responseId: string;
      readonly usage: Usage | undefined;
      /** Why it failed; undefined where it was answered, cut short or cancelled. */
      readonly failure: JsonObject | undefined;
    }
  | { readonly kind: 'delivered'; readonly text: string; readonly audioBytes: number }
  | { readonly kind: 'transcribed'; readonly usage: Usage }
  | { readonly kind: 'none' };

const NOTHING = { kind: 'none' } as const;

export function consumptionOf({ json, type }: RealtimeEvent): Consumption {
  if (type === 'response.created') return { kind: 'begun', responseId: responseIdOf(json) };
  if (type === 'response.done') return doneOf(json);
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

function doneOf(json: JsonObject): Consumption {
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

/** Told in tokens or as a duration, by the model that transcribes. */
function transcribed(json: JsonObject): Consumption {
  const told = objectIn(json, 'usage');
  const seconds = textIn(told, 'type') === 'duration' ? numberIn(told, 'seconds') : undefined;
  const usage =
    seconds === undefined
      ? readOpenAiUsage(told)
      : { ...emptyUsage(), input: transcriptionTokens(seconds) };
  return usage === undefined ? NOTHING : { kind: 'transcribed', usage };
}

/** The model that transcribes what is said, as the server last described the session; '' = none. */
export function transcriptionModel({ json }: RealtimeEvent): string {
  const session = objectIn(json, 'session');
  const input = objectIn(objectIn(session, 'audio'), 'input');
  const beta = objectIn(session, 'input_audio_transcription');
  return textIn(objectIn(input, 'transcription') ?? beta, 'model') ?? '';
}

/** What a client event adds to the prompt: bytes of sound, and text. */
export function promptOf({ json, type }: RealtimeEvent): { audioBytes: number; text: string } {
  if (type === 'input_audio_buffer.append')
    return { audioBytes: base64Bytes(textIn(json, 'audio') ?? ''), text: '' };
  if (type === 'conversation.item.create') return itemPrompt(objectIn(json, 'item'));
  const told = objectIn(json, type === 'session.update' ? 'session' : 'response');
  return { audioBytes: 0, text: textIn(told, 'instructions') ?? '' };
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

/** PCM of 16 bits at 24 kHz, what a session has unless told otherwise. */
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

/** G.711 has 8,000 bytes a second. */
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

/** `about` is the client's id of the event that is meant, where there is one. */
export function errorEvent(eventId: string, error: RealtimeErrorFacts, about?: unknown): string {
  const { type, code, message, param } = error;
  const event_id = typeof about === 'string' ? about : null;
  return JSON.stringify({
    type: 'error',
    event_id: eventId,
    error: { type, code, message, param, event_id },
  });
}

/** Asks for the response under way to stop, which makes the server tell its usage. */
export const CANCEL = JSON.stringify({ type: 'response.cancel' });

export function sessionUpdate(session: JsonObject): string {
  return JSON.stringify({ type: 'session.update', session });
}
