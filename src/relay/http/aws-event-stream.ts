/**
 * Reads the AWS event stream: binary frames of headers and payload, each with two checksums.
 * Source: docs.aws.amazon.com, "Event stream encoding", and smithy.io/2.0/aws/amazon-eventstream. A
 * frame is:
 *
 *   length u32 | length of headers u32 | crc32 of these 8 bytes | headers | payload
 *   | crc32 of all before
 *
 * An exception becomes the event `error`, in a format that every dialect's reader understands.
 */
import { crc32 } from 'node:zlib';
import { isObject, parseJson, textIn } from '../../json/read-json.ts';
import type { SseEvent } from './sse.ts';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;
/** Limit set by the protocol. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export class AwsEventReader {
  /** The incomplete frame, in the chunks it arrived in; joined once it is complete. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Length of the current frame; 0 while its prelude is incomplete. */
  #frameBytes = 0;
  #hasFailed = false;

  /**
   * Returns the completed events. A wrong checksum or length becomes the event `error`, after all
   * events that arrived intact before it. Nothing is read after it, because the start of the next
   * frame is unknown.
   */
  push(chunk: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    if (this.#hasFailed) return events;
    try {
      this.#read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), events);
    } catch (error) {
      if (!(error instanceof DamagedFrame)) throw error;
      this.#hasFailed = true;
      this.#held = [];
      events.push(errorEvent({ type: 'upstream_error', message: error.message, code: 502 }));
    }
    return events;
  }

  /** An incomplete frame is ignored; the reader of the answer detects the missing end. */
  end(): SseEvent[] {
    return [];
  }

  #read(bytes: Buffer, events: SseEvent[]): void {
    for (let rest = bytes; rest.length > 0; ) {
      const wanted = (this.#frameBytes || PRELUDE_BYTES) - this.#heldBytes;
      const piece = rest.subarray(0, wanted);
      rest = rest.subarray(piece.length);
      this.#held.push(piece);
      this.#heldBytes += piece.length;
      if (piece.length < wanted) return;
      if (this.#frameBytes === 0) this.#frameBytes = frameLength(this.#joined());
      else events.push(...eventsOf(this.#taken()));
    }
  }

  #joined(): Buffer {
    const whole = Buffer.concat(this.#held);
    this.#held = [whole];
    return whole;
  }

  #taken(): Buffer {
    const frame = this.#joined();
    this.#held = [];
    this.#heldBytes = 0;
    this.#frameBytes = 0;
    return frame;
  }
}

class DamagedFrame extends Error {
  constructor(what: string) {
    super(`The upstream sent a damaged frame: ${what}.`);
  }
}

function frameLength(prelude: Buffer): number {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8))
    throw new DamagedFrame('its first checksum is wrong');
  const length = prelude.readUInt32BE(0);
  if (length > MAX_FRAME_BYTES) throw new DamagedFrame('it is longer than 16 MB');
  const least = PRELUDE_BYTES + prelude.readUInt32BE(4) + CRC_BYTES;
  if (length < least) throw new DamagedFrame('its lengths contradict each other');
  return length;
}

function eventsOf(frame: Buffer): readonly SseEvent[] {
  const end = frame.length - CRC_BYTES;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end))
    throw new DamagedFrame('its checksum is wrong');
  const bodyAt = PRELUDE_BYTES + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(PRELUDE_BYTES, bodyAt));
  const payload = frame.toString('utf8', bodyAt, end);
  const kind = headers.get(':message-type');
  if (kind === 'exception') return [exceptionEvent(headers.get(':exception-type') ?? '', payload)];
  if (kind === 'error') {
    const message = JSON.stringify({ message: headers.get(':error-message') ?? '' });
    return [exceptionEvent(headers.get(':error-code') ?? '', message)];
  }
  const name = headers.get(':event-type') ?? '';
  if (name === 'initial-response') return [];
  return [name === 'chunk' ? chunkEvent(payload) : namedEvent(name, payload)];
}

function namedEvent(event: string, data: string): SseEvent {
  return { kind: 'data', event, data, raw: Buffer.from(`event: ${event}\ndata: ${data}\n\n`) };
}

/** A chunk wraps an event of the model's native stream; its type is the event name. */
function chunkEvent(payload: string): SseEvent {
  const bytes = textIn(parseJson(payload), 'bytes');
  const text = Buffer.from(bytes ?? '', 'base64').toString('utf8');
  const inner = parseJson(text);
  if (!isObject(inner)) throw new DamagedFrame('its payload is no event');
  const own = Object.entries(inner).filter(([name]) => !name.startsWith('amazon-bedrock-'));
  const isPlain = own.length === Object.keys(inner).length;
  const data = isPlain ? text : JSON.stringify(Object.fromEntries(own));
  return namedEvent(textIn(inner, 'type') ?? 'message', data);
}

/** The status for each exception, by the start of its name in lower case. */
const STATUSES: readonly (readonly [name: string, status: number])[] = [
  ['throttling', 429],
  ['servicequotaexceeded', 429],
  ['modelnotready', 429],
  ['validation', 400],
  ['accessdenied', 403],
  ['resourcenotfound', 404],
  ['modeltimeout', 408],
  ['modelstreamerror', 424],
  ['modelerror', 424],
  ['serviceunavailable', 503],
];

function exceptionEvent(type: string, payload: string): SseEvent {
  const body = parseJson(payload);
  const message = textIn(body, 'message') ?? textIn(body, 'Message') ?? type;
  const name = type.toLowerCase();
  const code = STATUSES.find(([beginning]) => name.startsWith(beginning))?.[1] ?? 500;
  return errorEvent({ type, message, code });
}

/** `code`: the status it maps to. */
function errorEvent(error: {
  readonly type: string;
  readonly message: string;
  readonly code: number;
}): SseEvent {
  return namedEvent('error', JSON.stringify({ type: 'error', error }));
}

/** Value length of each header type except strings and bytes, which carry their own length. */
const VALUE_BYTES: Readonly<Record<number, number>> = {
  0: 0,
  1: 0,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  8: 8,
  9: 16,
};
const TEXT_TYPE = 7;
const BYTES_TYPE = 6;

/** Reads the string headers and skips all others. */
function readHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const step = (count: number): number => {
    const from = at;
    at += count;
    if (at > bytes.length) throw new DamagedFrame('its headers are cut off');
    return from;
  };
  while (at < bytes.length) {
    const nameBytes = bytes.readUInt8(step(1));
    const nameAt = step(nameBytes);
    const name = bytes.toString('utf8', nameAt, nameAt + nameBytes);
    const type = bytes.readUInt8(step(1));
    const hasLength = type === TEXT_TYPE || type === BYTES_TYPE;
    const size = hasLength ? bytes.readUInt16BE(step(2)) : VALUE_BYTES[type];
    if (size === undefined) throw new DamagedFrame('a header has no known type');
    const valueAt = step(size);
    if (type === TEXT_TYPE) headers.set(name, bytes.toString('utf8', valueAt, valueAt + size));
  }
  return headers;
}
