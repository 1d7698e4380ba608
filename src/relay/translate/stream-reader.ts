/**
 * The interface between the relay and a stream's reader: which bytes are forwarded, what was
 * delivered and counted, how the stream ended, and the frames that only the gateway can write.
 */

import { dataFrame } from '../../dialects/hub/answer/frames.ts';
import { hasAnswer } from '../../dialects/hub/answer/has-answer.ts';
import { stopOfChat } from '../../dialects/hub/answer/stop.ts';
import type { StreamFrame, WireError } from '../../dialects/hub/dialect.ts';
import type { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import type {
  ChatStreamReader,
  FrameForwarding,
} from '../../dialects/openai/answer/stream-reader.ts';
import { openAiError, withRequestId } from '../../domain/errors/error-shapes.ts';
import {
  readOpenAiUsage,
  toOpenAiUsage,
  type Usage,
  withTier,
} from '../../domain/pricing/usage.ts';
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';

/** Usage counted by the upstream. */
export interface Counted {
  readonly usage: Usage;
  /** The prompt is counted, the answer is not. */
  readonly isPartial: boolean;
}

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

/** Chat and legacy completions, if the upstream uses the same dialect. */
export class ChatAnswerReader implements AnswerReader {
  readonly #reader: ChatStreamReader;
  readonly #isSideEvent: (event: string) => boolean;

  /**
   * `isSideEvent`: events that are not part of the answer; they are forwarded unchanged to clients
   * that requested them.
   */
  constructor(reader: ChatStreamReader, isSideEvent: (event: string) => boolean) {
    this.#reader = reader;
    this.#isSideEvent = isSideEvent;
  }

  get delivered(): DeliveredContent {
    return this.#reader.delivered;
  }

  get counted(): Counted | undefined {
    const raw = this.#reader.usage;
    const usage = raw && withTier(readOpenAiUsage(raw), this.#reader.tier);
    return usage && { usage, isPartial: false };
  }

  get error(): UpstreamError | undefined {
    return this.#reader.error;
  }

  get sawDone(): boolean {
    return this.#reader.sawDone;
  }

  get finishReasons(): readonly string[] {
    return this.#reader.finishReasons;
  }

  get isComplete(): boolean {
    return this.#reader.isComplete;
  }

  get hasAnswer(): boolean {
    const { delivered, counted, finishReasons } = this;
    const stops = finishReasons.map(stopOfChat);
    return hasAnswer({ delivered, usage: counted?.usage, stops });
  }

  read({ event, data }: StreamFrame): FrameForwarding {
    return this.#isSideEvent(event) ? 'as-is' : this.#reader.read(data);
  }

  end(): string {
    return '';
  }

  closing(usage: Usage | undefined): string {
    const estimate = usage === undefined ? undefined : { ...toOpenAiUsage(usage) };
    return this.#reader.tail(estimate).map(dataFrame).join('');
  }

  fail({ requestId = '', ...error }: WireError): string {
    const body = openAiError({ ...error, message: withRequestId(error.message, requestId) });
    return [JSON.stringify(body), '[DONE]'].map(dataFrame).join('');
  }

  ping(): string {
    return ': PING\n\n';
  }
}
