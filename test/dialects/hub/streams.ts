/** Streams for the dialect tests: fixtures as wire bytes, split anywhere, and their events. */

import { DIALECTS, UPSTREAM_DIALECTS } from '../../../src/dialects/all.ts';
import { AnswerCollector, type HubAnswer } from '../../../src/dialects/hub/answer/answer.ts';
import type { HubEvent } from '../../../src/dialects/hub/answer/events.ts';
import type {
  AnswerContext,
  DialectName,
  UpstreamDialectName,
} from '../../../src/dialects/hub/dialect.ts';
import { AwsEventReader } from '../../../src/relay/http/aws-event-stream.ts';
import { type SseEvent, SseReader } from '../../../src/relay/http/sse.ts';
import { chunkFrame, eventFrame } from '../../upstream/clouds/aws-event-stream.ts';
import { frames } from '../frames.ts';

export const CONTEXT: AnswerContext = {
  id: 'R1',
  createdSec: 1763700000,
  model: 'asked-model',
  tools: [],
  wantsUsage: true,
  promptTokens: 7,
};

export function context(extra: Partial<AnswerContext> = {}): AnswerContext {
  return { ...CONTEXT, ...extra };
}

/**
 * A fixture as its upstream sends it: Anthropic names its events, Google ends lines with CR LF, AWS
 * uses its own binary frames.
 */
export function wireOf(name: UpstreamDialectName, path: string): string | Buffer {
  if (path.startsWith('bedrock/')) return Buffer.concat(frames(path).map(awsFrameOf));
  return frames(path)
    .map((data) => {
      if (name === 'anthropic' || name === 'responses')
        return `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`;
      return name === 'gemini' ? `data: ${data}\r\n\r\n` : `data: ${data}\n\n`;
    })
    .join('');
}

/** Converse events are keyed by their names; all other events are the model's own. */
function awsFrameOf(data: string): Buffer {
  const json = JSON.parse(data);
  const [name = '', payload] = Object.entries(json)[0] ?? [];
  return 'type' in json ? chunkFrame(json) : eventFrame(name, payload);
}

/** Hub events per chunk of bytes, and those at the end of the connection. */
export function decoded(
  name: UpstreamDialectName,
  chunks: readonly Uint8Array[],
  given: AnswerContext = CONTEXT,
): readonly (readonly HubEvent[])[] {
  const decoder = UPSTREAM_DIALECTS[name].decoder(given);
  // A frame of AWS begins with its length, whose first byte is 0; text never does.
  const reader = chunks[0]?.[0] === 0 ? new AwsEventReader() : new SseReader();
  const read = (events: readonly SseEvent[]) =>
    events.flatMap((event) => (event.kind === 'data' ? decoder.decode(event) : []));
  const batches = chunks.map((chunk) => read(reader.push(chunk)));
  return [...batches, read(reader.end()), decoder.end()];
}

export function eventsIn(
  name: UpstreamDialectName,
  wire: string | Buffer,
  given?: AnswerContext,
): readonly HubEvent[] {
  return decoded(name, [Buffer.from(wire)], given).flat();
}

/** The output for a client whose dialect is `to`. */
export function encoded(
  to: DialectName,
  batches: readonly (readonly HubEvent[])[],
  given: AnswerContext = CONTEXT,
): string {
  const encoder = DIALECTS[to].encoder(given);
  const body = batches.map((events) => encoder.encode(events)).join('');
  const usage = batches.flat().findLast((event) => event.kind === 'usage')?.usage;
  return body + encoder.end(usage);
}

export function collected(events: readonly HubEvent[]): HubAnswer {
  const collector = new AnswerCollector();
  collector.add(events);
  return collector.answer();
}

/** The JSON of every frame on the wire, without the end mark. */
export function framesIn(wire: string): readonly Record<string, unknown>[] {
  const reader = new SseReader();
  return [...reader.push(Buffer.from(wire)), ...reader.end()].flatMap((event) =>
    event.kind === 'data' && event.data !== '[DONE]' ? [JSON.parse(event.data)] : [],
  );
}
