/** The kinds of answer an attempt can return. */
import type { PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import type { FetchedContent } from '../../providers/conversions/conversion.ts';
import type { RequestCredentials } from '../../providers/transports/transport.ts';
import type { Choice } from '../call/choice.ts';
import type { ByteSource } from './byte-source.ts';
import type { Deadline } from './deadline.ts';
import type { FrameReader } from './framing.ts';
import type { SseEvent } from './sse.ts';
import type { UpstreamCall } from './upstream-call.ts';

export interface Exchange {
  readonly call: UpstreamCall;
  readonly deadline: Deadline;
  /** The credentials used, if they were more than a header. */
  readonly credentials: RequestCredentials | undefined;
  /** The channel and key that answered. */
  readonly choice: Choice;
}

/** An upstream answer that is not streamed. */
export interface WholeAnswer extends Exchange {
  readonly kind: 'whole';
  readonly plain: PlainAnswer;
}

/** A streamed answer: its first events were read, the rest is still to come. */
export interface StreamAnswer extends Exchange {
  readonly kind: 'stream';
  /** The decoded body of `call`. */
  readonly source: ByteSource;
  readonly reader: FrameReader;
  readonly first: readonly SseEvent[];
}

/** Streamed audio; its first bytes were read. */
export interface AudioAnswer extends Exchange {
  readonly kind: 'audio';
  readonly source: ByteSource;
  readonly first: readonly Buffer[];
  /** The upstream's content type. */
  readonly contentType: string;
}

export type Answer = WholeAnswer | StreamAnswer | AudioAnswer;

/** The service tier named in the response headers (Gemini sends it). */
export function answeredTier(headers: UpstreamCall['headers']): string | undefined {
  return [headers['x-gemini-service-tier'] ?? []].flat()[0];
}

/** A whole answer and its declared content type. */
export interface ArrivedBody {
  readonly bytes: Buffer;
  readonly type: string;
  /** The content downloaded from the URL in the answer. */
  readonly fetchResult?: FetchedContent;
}
