/** Reads whole answers through the hub. */
import { AnswerCollector, eventsOf, type HubAnswer } from '../../dialects/hub/answer/answer.ts';
import type { AnswerSum, PlainAnswer } from '../../dialects/hub/answer/answer-reader.ts';
import type { HubEvent } from '../../dialects/hub/answer/events.ts';
import type { StreamFrame } from '../../dialects/hub/answer/frames.ts';
import { hasAnswer } from '../../dialects/hub/answer/has-answer.ts';
import type { Block } from '../../dialects/hub/blocks.ts';
import type { AnswerContext, Decoder, DialectPair } from '../../dialects/hub/dialect.ts';
import { signatureToKeep } from '../../dialects/hub/thinking/signature.ts';
import { withThinkingSeparated } from '../../dialects/hub/thinking/tagged-thinking.ts';
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { AppError } from '../../domain/errors/errors.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { renderJson } from '../../json/edit-json-text.ts';
import { isObject, type JsonObject, parseJson } from '../../json/read-json.ts';
import { errorInSuccess } from '../../upstream-errors/read-upstream-error.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import { clientModel, isSideEvent } from '../call/call-facts.ts';
import { decodedForwarding } from '../call/dialect-pair.ts';
import { answerContext } from '../call/hub-request.ts';
import type { Ports } from '../call/relay-ports.ts';
import { keepSignature } from './kept-signatures.ts';

/** How the answers of a call are read. */
export interface DialectReading {
  readonly pair: DialectPair;
  readonly context: AnswerContext;
  /** The client's model name, if the upstream request used another. */
  readonly clientModel: string | undefined;
  readonly thinkingToContent: boolean;
  /** The upstream's text contains reasoning between tags. */
  readonly thinkTags: boolean;
  /** The upstream's token counts are unreliable. */
  readonly ignoresUsage: boolean;
  /** Events that are not part of the answer. */
  readonly isSideEvent: (event: string) => boolean;
  /** Stores the signature of a call, for which the client's dialect has no field. */
  readonly onSignature: (callId: string, signature: string) => void;
}

export function dialectReading(
  relay: Ports<'ctx'>,
  call: Routed,
  pair: DialectPair,
): DialectReading {
  const { provider } = call.route.plan;
  return {
    pair,
    context: { ...answerContext(call, pair), nowSec: () => Math.floor(relay.ctx.now() / 1000) },
    clientModel: clientModel(call),
    thinkTags: provider.thinkTags === true && !pair.isSame,
    ignoresUsage: provider.streamUsage === 'never',
    isSideEvent: (event) => isSideEvent(call, event),
    thinkingToContent: call.route.channel.setting.thinkingToContent,
    onSignature: (callId, signature) => keepSignature(relay.ctx, callId, signature),
  };
}

/** @throws AppError upstream_garbled when the text is not a JSON object. */
export function readDialectAnswer(text: string, reading: DialectReading): PlainAnswer {
  const { pair, context } = reading;
  const parsed = parseJson(text);
  const error = pair.upstream.readError(parsed) ?? errorInSuccess(parsed);
  if (error !== undefined) return failedAnswer(text, error);
  if (!isObject(parsed)) throw new AppError('upstream_garbled');
  const read = pair.upstream.readAnswer(parsed, context);
  if (read.error !== undefined) return failedAnswer(text, read.error);
  const answer = contentOf(read, reading);
  if (!pair.isSame)
    return plainAnswer(answer, reading, { json: parsed, ...translatedBy(answer, reading) });
  const renamed = renderJson(text, parsed, withClientName(parsed, reading));
  return plainAnswer(answer, reading, { text: renamed, json: parsed });
}

/** A forwarded answer with the client's model name. */
function withClientName(json: JsonObject, { pair, clientModel }: DialectReading): JsonObject {
  if (clientModel === undefined) return json;
  return decodedForwarding(pair)?.renameAnswer(json, clientModel) ?? json;
}

export class DialectSum implements AnswerSum {
  readonly #reading: DialectReading;
  readonly #decoder: Decoder;
  readonly #collector = new AnswerCollector();

  constructor(reading: DialectReading) {
    this.#reading = reading;
    this.#decoder = reading.pair.upstream.decoder(reading.context);
  }

  get isOver(): boolean {
    return this.#decoder.isOver;
  }

  add(frame: StreamFrame): UpstreamError | undefined {
    return this.#take(this.#decoder.decode(frame));
  }

  end(): UpstreamError | undefined {
    return this.#take(this.#decoder.end());
  }

  answer(): PlainAnswer | undefined {
    if (!this.#decoder.isComplete) return undefined;
    return collectedAnswer(this.#collector.answer(), this.#reading);
  }

  #take(events: readonly HubEvent[]): UpstreamError | undefined {
    this.#collector.add(events);
    return events.find((event) => event.kind === 'error')?.error;
  }
}

/** An answer collected from the frames of a stream. */
function collectedAnswer(answer: HubAnswer, reading: DialectReading): PlainAnswer {
  const text = contentOf(answer, reading);
  const written = translatedBy(text, reading);
  return plainAnswer(text, reading, { json: written.translated, ...written });
}

function translatedBy(answer: HubAnswer, { pair, context }: DialectReading) {
  const translated = pair.client.writeAnswer(answer, context);
  return { text: JSON.stringify(translated), translated };
}

const EMPTY_ANSWER = {
  json: {},
  usage: undefined,
  finishReasons: [],
  hasAnswer: false,
  error: undefined,
} as const;

function failedAnswer(text: string, error: UpstreamError): PlainAnswer {
  return { ...EMPTY_ANSWER, text, delivered: new DeliveredContent(), error };
}

/** `written.json`: as the upstream wrote it, if it did. */
function plainAnswer(
  answer: HubAnswer,
  reading: DialectReading,
  written: Pick<PlainAnswer, 'text' | 'json' | 'translated'>,
): PlainAnswer {
  const delivered = deliveredBy(answer);
  const counted = reading.ignoresUsage ? undefined : answer.usage;
  keepSignatures(answer, reading);
  return {
    ...EMPTY_ANSWER,
    ...written,
    counted,
    delivered,
    hasAnswer: hasAnswer({ delivered, usage: counted, stops: [answer.stop] }),
    frames: (usage) => framesOf(answer, usage, reading),
  };
}

/** Separates reasoning tagged in the text, for clients of other dialects. */
function contentOf(answer: HubAnswer, { thinkTags }: DialectReading): HubAnswer {
  return thinkTags ? withThinkingSeparated(answer) : answer;
}

/** The content of an answer, for counting tokens here. */
export function deliveredBy(answer: HubAnswer): DeliveredContent {
  const delivered = new DeliveredContent();
  for (const block of blocksOf(answer)) {
    if (block.kind === 'text' || block.kind === 'thinking' || block.kind === 'refusal')
      delivered.add(block.text);
    if (block.kind === 'image' || block.kind === 'audio') delivered.addMedia();
    if (block.kind !== 'tool_call') continue;
    delivered.addCall(block.id, block.name);
    delivered.add(block.args);
  }
  return delivered;
}

function blocksOf({ blocks, others = [] }: HubAnswer): readonly Block[] {
  return [...blocks, ...others.flatMap(blocksOf)];
}

function keepSignatures(answer: HubAnswer, { onSignature }: DialectReading): void {
  for (const block of blocksOf(answer)) {
    const kept = block.kind === 'tool_call' ? signatureToKeep(block.signature) : undefined;
    if (block.kind === 'tool_call' && kept !== undefined) onSignature(block.id, kept);
  }
}

/** Writes a whole answer as a stream. */
function framesOf(
  answer: HubAnswer,
  usage: Usage | undefined,
  { pair, context }: DialectReading,
): string {
  const encoder = pair.client.encoder(context);
  return encoder.encode(eventsOf(answer)) + encoder.end(usage);
}
