/**
 * Redacts keys that upstreams repeat in their responses, whole or in part, so that they do not
 * reach clients, logs or administrators. `SecretRuns` defines what counts as a part; it is built
 * once per key and cached with it.
 */
import { SecretRuns } from '../../domain/text/secret-runs.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { FrameReader } from './framing.ts';
import type { SseEvent } from './sse.ts';

export interface Keyed {
  readonly key: string;
}

const kept = new WeakMap<Keyed, SecretRuns>();

function runsOf(keyed: Keyed): SecretRuns {
  const known = kept.get(keyed);
  if (known !== undefined) return known;
  const runs = new SecretRuns(keyed.key);
  kept.set(keyed, runs);
  return runs;
}

/** The error with each key, and each part of one, redacted. */
export function withoutKeys(error: UpstreamError, keys: readonly Keyed[]): UpstreamError {
  const hide = (text: string) => hideKeys(text, keys);
  return {
    ...error,
    message: hide(error.message),
    type: hide(error.type),
    code: hide(error.code),
    param: hide(error.param),
  };
}

/** The same for any text of an upstream. */
export function hideKeys(text: string, keys: readonly Keyed[]): string {
  return keys.reduce((shown, keyed) => runsOf(keyed).hide(shown), text);
}

/** The same for a whole body; the same buffer if there is nothing to redact. */
export function bytesWithoutKeys(bytes: Buffer, keys: readonly Keyed[]): Buffer {
  const found = keys.filter((keyed) => runsOf(keyed).isIn(bytes));
  // Latin-1 maps each byte to one character, so all other bytes stay unchanged.
  return found.length === 0
    ? bytes
    : Buffer.from(hideKeys(bytes.toString('latin1'), found), 'latin1');
}

/**
 * The same for a stream, event by event. A key split across two events is found if one of its
 * halves is long enough.
 */
export function eventsWithoutKeys(reader: FrameReader, keys: readonly Keyed[]): FrameReader {
  const all = keys.map(runsOf);
  const repeats = (event: SseEvent) => all.some((runs) => runs.isIn(event.raw));
  const clean = (events: SseEvent[]) =>
    events.some(repeats)
      ? events.map((event) => hidden(event, (text) => hideKeys(text, keys)))
      : events;
  return { push: (chunk) => clean(reader.push(chunk)), end: () => clean(reader.end()) };
}

function hidden(event: SseEvent, hide: (text: string) => string): SseEvent {
  const raw = Buffer.from(hide(event.raw.toString('utf8')));
  return event.kind === 'comment'
    ? { ...event, comment: hide(event.comment), raw }
    : { ...event, event: hide(event.event), data: hide(event.data), raw };
}
