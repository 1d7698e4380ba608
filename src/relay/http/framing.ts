/**
 * Selects the frame reader of a stream. Every reader emits server-sent events, whose `raw` can be
 * forwarded unchanged.
 */
import { AwsEventReader } from './aws-event-stream.ts';
import { NdjsonReader } from './ndjson.ts';
import { type SseEvent, SseReader } from './sse.ts';

export interface FrameReader {
  /** Every event that this chunk completes, in order. @throws AppError upstream_* */
  push(chunk: Uint8Array): SseEvent[];
  /** Remaining events when the connection ends. @throws AppError upstream_* */
  end(): SseEvent[];
}

interface ReaderOptions {
  /** Limit for server-sent events; other framings have their own. */
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

/** Selects by the upstream's content type; undefined for an answer that is not a stream. */
export function frameReaderOf(
  contentType: string | string[] | undefined,
  options: ReaderOptions = {},
): FrameReader | undefined {
  const [kind = ''] = String(contentType ?? '').split(';');
  return READERS[kind.trim().toLowerCase()]?.(options);
}
