/** Replays recorded events of real providers with any framing, broken as planned. */

import type { Plan } from '../plans/plan.ts';
import { type Answer, streamAnswer } from './answer.ts';
import { bareChunk } from './chunk.ts';
import type { Wire } from './wires.ts';

interface Event {
  /** Undefined if the provider does not name events. */
  readonly name: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

const DONE = '[DONE]';

/**
 * Each line is the JSON of an event, or `{"event":…,"data":…}` for named events; a last line
 * `[DONE]` ends the stream with that marker. `asLines`: JSON lines instead of events.
 */
export function replayAnswer(lines: readonly string[], plan: Plan, asLines: boolean): Answer {
  const events = lines.filter((line) => line !== DONE).flatMap(readEvent);
  const names = new WeakMap<object, string | undefined>(
    events.map(({ body, name }) => [body, name]),
  );
  const wire: Wire = {
    named: (body) => names.get(body),
    done: lines.at(-1) === DONE,
    error: {},
    ...(asLines ? { lines: true } : {}),
  };
  const last = events.length - 1;
  const chunks = events.map(({ body }, at) => bareChunk(body, at === last));
  return streamAnswer(chunks, plan, undefined, wire);
}

/** Returns no event for a line without an object, which only ends a stream. */
function readEvent(line: string): readonly Event[] {
  const json: unknown = JSON.parse(line);
  if (typeof json !== 'object' || json === null) return [];
  const isNamed = 'event' in json && 'data' in json && Object.keys(json).length === 2;
  if (!isNamed) return [{ name: undefined, body: { ...json } }];
  const { event, data } = json;
  return typeof data === 'object' && data !== null
    ? [{ name: String(event), body: { ...data } }]
    : [];
}
