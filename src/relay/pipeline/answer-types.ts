/** The forms in which an upstream answers an attempt. */
import type { PlainAnswer } from '../../dialects/openai/plain-answer.ts';
import type { RequestCredentials } from '../../providers/transports/transport.ts';
import type { Patience } from '../http/deadline.ts';
import type { FrameReader } from '../http/framing.ts';
import type { SseEvent } from '../http/sse.ts';
import type { ByteSource, UpstreamCall } from '../http/upstream-call.ts';
import type { Choice } from '../routing/choice.ts';

export interface Exchange {
  readonly call: UpstreamCall;
  readonly patience: Patience;
  /** How the call showed its key, where that is more than a header. */
  readonly proof: RequestCredentials | undefined;
  /** Who was asked. */
  readonly choice: Choice;
}

/** The upstream answers in one piece. */
export interface WholeAnswer extends Exchange {
  readonly kind: 'whole';
  readonly plain: PlainAnswer;
}

/** The upstream streams; its first events are here, the rest is still to come. */
export interface StreamAnswer extends Exchange {
  readonly kind: 'stream';
  /** The body of `call`, decoded. */
  readonly source: ByteSource;
  readonly reader: FrameReader;
  readonly first: readonly SseEvent[];
}

/** Sound as it is made; its first bytes are here. */
export interface SoundAnswer extends Exchange {
  readonly kind: 'sound';
  readonly source: ByteSource;
  readonly first: readonly Buffer[];
  /** As the upstream calls it. */
  readonly contentType: string;
}

export type Answer = WholeAnswer | StreamAnswer | SoundAnswer;
