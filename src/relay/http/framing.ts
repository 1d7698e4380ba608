/**
 * How streams are cut into frames on the wire. Whatever the framing, its reader gives the events a
 * client of server-sent events would get: `raw` of each can go on as it is.
 */
import { AwsEventReader } from './aws-event-stream.ts';
import { NdjsonReader } from './ndjson.ts';
import { type SseEvent, SseReader } from './sse.ts';

export interface FrameReader {
  /** Every event this chunk completes, in order, wherever the network cut it. @throws AppError upstream_* */
  push(chunk: Uint8Array): SseEvent[];
  /** What is left when the connection ends. @throws AppError upstream_* */
  end(): SseEvent[];
}

interface ReaderOptions {
  /** Of server-sent events; others have a bound of their own. */
  readonly maxEventBytes?: number;
}

const READERS: Readonly<Record<string, (options: ReaderOptions) => FrameReader>> = {
  'text/event-stream': (options) => new SseReader(options),
  'application/vnd.amazon.eventstream': () => new AwsEventReader(),
  'application/x-ndjson': () => new NdjsonReader(),
  'application/ndjson': () => new NdjsonReader(),
  'application/jsonl': () => new NdjsonReader(),
  'application/x-jsonlines': () => new NdjsonReader(),
};

/** By the kind of content the upstream names; undefined for an answer in one piece. */
export function frameReaderOf(
  contentType: string | string[] | undefined,
  options: ReaderOptions = {},
): FrameReader | undefined {
  const [kind = ''] = String(contentType ?? '').split(';');
  return READERS[kind.trim().toLowerCase()]?.(options);
}
