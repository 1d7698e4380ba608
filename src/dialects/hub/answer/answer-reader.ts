/**
 * What the relay needs of an answer: which bytes are forwarded, what was delivered and counted, how
 * it ended, and the frames that only the gateway can write.
 */
import type { Usage } from '../../../domain/pricing/usage.ts';
import type { JsonObject } from '../../../json/read-json.ts';
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { DeliveredContent } from '../../openai/answer/delivered-content.ts';
import type { StreamFrame, WireError } from './frames.ts';

/** Usage counted by the upstream. */
export interface Counted {
  readonly usage: Usage;
  /** The prompt is counted, the answer is not. */
  readonly isPartial: boolean;
}

/** What to do with a frame: forward its bytes, drop it, or send this JSON instead. */
export type FrameForwarding = 'as-is' | 'drop' | { readonly json: string };

/** Reads a stream. */
export interface AnswerReader {
  readonly delivered: DeliveredContent;
  readonly counted: Counted | undefined;
  readonly error: UpstreamError | undefined;
  /** No further event can follow. */
  readonly sawDone: boolean;
  readonly isComplete: boolean;
  /** Whether there was content or usage, or a reason why there is no content. */
  readonly hasAnswer: boolean;
  /** As the upstream sent them, or mapped to the gateway's own names. */
  readonly finishReasons?: readonly string[];
  /** Ids under which the upstream stores the answer. */
  readonly keptIds?: readonly string[];
  /** Items of a translated answer that its client may refer to; complete after `closing`. */
  readonly items?: readonly JsonObject[];
  /** Images and bytes of audio that were delivered. */
  readonly images?: number;
  readonly audioBytes?: number;
  /** Returns 'as-is', 'drop' or JSON to forward, or frames of its own. */
  read(frame: StreamFrame): FrameForwarding | { readonly frames: string };
  /** Called when the connection has ended: returns the frames due before the closing ones. */
  end(): string;
  closing(usage: Usage | undefined): string;
  fail(error: WireError): string;
  ping(): string;
}

/** A whole answer. */
export interface PlainAnswer {
  /** The text to send; unchanged except for the model name and `force_format`. */
  readonly text: string;
  readonly json: JsonObject;
  /** The answer as the client gets it, if it was translated. */
  readonly translated?: JsonObject;
  /** As reported by the upstream. */
  readonly usage: JsonObject | undefined;
  /** The same usage, if it was parsed already. */
  readonly counted?: Usage | undefined;
  /** Writes the answer as a stream; absent if the endpoint has none. */
  readonly frames?: (usage: Usage | undefined) => string;
  /** Number of units if the price is per unit: images, searches. */
  readonly units?: number;
  /** For an answer that is not JSON. */
  readonly contentType?: string;
  /** The answer if it is audio; `text` is then empty. */
  readonly audio?: Buffer;
  readonly delivered: DeliveredContent;
  readonly finishReasons: readonly string[];
  /** False for a body without content, usage or any other sign that the model ran. */
  readonly hasAnswer: boolean;
  /** The upstream reported a failure with status 200; it is neither sent nor charged. */
  readonly error: UpstreamError | undefined;
}

/** Collects a stream into a whole answer. */
export interface AnswerSum {
  readonly isOver: boolean;
  /** Returns the error that the event reports, if any. */
  add(frame: StreamFrame): UpstreamError | undefined;
  /** Ends the collection; returns an error that is only visible at the end. */
  end(): UpstreamError | undefined;
  /** The upstream's whole answer; undefined when it was cut off. */
  answer(): PlainAnswer | undefined;
}

/** Used if the upstream sends no id, time or model. */
export interface AnswerIdentity {
  readonly id: string;
  readonly createdSec: number;
  readonly model: string;
}

/** How a client of the upstream's own dialect gets the answer. */
export interface ForwardedReading {
  readonly identity: AnswerIdentity;
  /** The client requested the usage of a stream. */
  readonly clientAskedUsage: boolean;
  /** The client's model name, if the upstream was sent another. */
  readonly clientModel?: string | undefined;
  /** The upstream's usage is meaningless and must be ignored. */
  readonly ignoresUsage?: boolean;
  /** The channel's settings `force_format` and `thinking_to_content`. */
  readonly forceFormat?: boolean;
  readonly thinkingToContent?: boolean;
  /**
   * Events that are not part of the answer; they are forwarded unchanged to clients that requested
   * them.
   */
  readonly isSideEvent?: (event: string) => boolean;
}

/** The readers of a dialect whose answers are inspected without the hub. */
export interface ForwardingReaders {
  stream(reading: ForwardedReading): AnswerReader;
  /** @throws AppError upstream_garbled if the text is not a JSON object. */
  whole(text: string, reading: ForwardedReading): PlainAnswer;
  sum(reading: ForwardedReading): AnswerSum;
}
