/** Delivers the answer of a successful attempt to the client and settles its usage. */
import { clientDialect } from '../../dialects/all.ts';
import { writeEmbedAnswer } from '../../dialects/gemini/embeddings.ts';
import type { PlainAnswer } from '../../dialects/openai/answer/plain-answer.ts';
import { pseudoStream } from '../../dialects/openai/answer/pseudo-stream.ts';
import { withEmbeddingEncoding } from '../../dialects/openai/endpoints/embeddings.ts';
import { imageEvents } from '../../dialects/openai/endpoints/image-events.ts';
import { storedIdsOf } from '../../dialects/responses/forward.ts';
import {
  readOpenAiUsage,
  toOpenAiUsage,
  totalInput,
  type Usage,
  withTier,
} from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, textIn } from '../../json/read-json.ts';
import { releasePermits } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { fillUsage } from '../billing/complete-usage.ts';
import { reportedUsage, withReportedUsage } from '../billing/reported-usage.ts';
import { settle, trackInFlight } from '../billing/settle.ts';
import {
  type CallRecord,
  clientModel,
  type Ending,
  markBroken,
  streamEndpoint,
} from '../call/call-record.ts';
import { providerFor } from '../call/channel-provider.ts';
import { callerLanguage, type Outgoing } from '../call/incoming-call.ts';
import { reportToBreaker } from '../failures/attempt-outcome.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import { withoutKeys } from '../failures/redact-repeated-keys.ts';
import { brokenUpstream, shownError } from '../failures/upstream-failures.ts';
import { settleByPoll } from '../responses/background-responses.ts';
import { rememberAnswer } from '../responses/pinned-channel.ts';
import { isImages, isReadInFull } from '../translate/openai-endpoint-answer.ts';
import { readerFor } from '../translate/select-stream-reader.ts';
import type { AnswerReader, Counted } from '../translate/stream-reader.ts';
import type { StreamAnswer, WholeAnswer } from './answer-types.ts';
import { audioHeaders } from './deliver-audio.ts';
import { AnswerStream } from './deliver-stream.ts';
import { idleLimitMs } from './first-content.ts';
import type { Relay } from './relay-context.ts';

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

export async function deliverWhole(
  relay: Relay,
  record: CallRecord,
  answer: WholeAnswer,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  const { plain } = answer;
  const hasLeft = record.incoming.client.leftAtMs !== undefined;
  record.ending = hasLeft ? 'client_left' : 'answered';
  record.firstContentAtMs = relay.ctx.now();
  record.trace?.recordResponse({
    finishReasons: plain.finishReasons,
    model: ownModel(record, plain.json),
  });
  // Nothing was delivered to a client that disconnected, so only usage reported by the upstream is
  // charged.
  const filling = fillUsage(
    relay,
    record,
    { counted: countedOf(plain), delivered: plain.delivered, units: plain.units },
    !hasLeft,
  );
  if (filling !== undefined) await filling;
  await settle(relay, record);
  const remembering = rememberAnswer(relay, record, storedIdsOf(plain.json));
  if (remembering !== undefined) await remembering;
  const counting = hasLeft ? undefined : countSuccess();
  if (counting !== undefined) await counting;
  const reported = withReportedUsage(record, plain);
  const outgoing = record.intent.stream ? asStream(record, reported) : asWhole(record, reported);
  if (record.usageSource !== 'estimated') return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, 'x-gateway-usage': 'estimated' } };
}

/**
 * The upstream's name of the model that answered; undefined if the answer shows the client's name
 * instead.
 */
function ownModel(record: CallRecord, json: JsonObject): string | undefined {
  return clientModel(record) === undefined ? textIn(json, 'model') : undefined;
}

function asWhole(record: CallRecord, plain: PlainAnswer): Outgoing {
  const { text, contentType, audio } = plain;
  if (audio !== undefined)
    return { status: 200, headers: audioHeaders(record, contentType ?? ''), body: audio };
  if (contentType !== undefined)
    return { status: 200, headers: { 'content-type': contentType }, body: text };
  const json = shownJson(record, plain);
  const body = json === plain.json ? text : JSON.stringify(json);
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The answer in the client's form; the same object if nothing changes. */
function shownJson(record: CallRecord, { json }: PlainAnswer): JsonObject {
  const { incoming, intent } = record;
  if (incoming.endpoint === 'rerank') return withUsage(json, record.usage);
  if (incoming.endpoint !== 'embeddings') return json;
  if (intent.embeds !== undefined)
    return writeEmbedAnswer(
      withEmbeddingEncoding(json, 'float'),
      incoming.pathAsks?.isBatch === true,
    );
  return withUsage(withEmbeddingEncoding(json, intent.body.encoding_format), record.usage);
}

/** Adds the usage, because clients read it without checking that it is present. */
function withUsage(json: JsonObject, usage: Usage | undefined): JsonObject {
  if (usage === undefined || isObject(json.usage)) return json;
  const tokens = totalInput(usage);
  return { ...json, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

function countedOf({ usage: raw, counted, json }: PlainAnswer): Counted | undefined {
  const usage = counted ?? (raw && withTier(readOpenAiUsage(raw), json.service_tier));
  return usage && { usage, isPartial: false };
}

/** Sends a whole upstream answer to a client that requested a stream. */
function asStream(record: CallRecord, plain: PlainAnswer): Outgoing {
  const { endpoint } = record.incoming;
  if (isImages(endpoint)) {
    const body = imageEvents(plain.json, endpoint === 'imageEdits');
    return { status: 200, headers: STREAM_HEADERS, body };
  }
  // Models that cannot stream audio or text ignore the request, as OpenAI's do.
  if (isReadInFull(endpoint)) return asWhole(record, plain);
  if (plain.frames !== undefined)
    return {
      status: 200,
      headers: streamHeaders(record),
      body: plain.frames(reportedUsage(record)),
    };
  const reported = reportedUsage(record);
  const usage = reported === undefined ? {} : { usage: { ...toOpenAiUsage(reported) } };
  const events = pseudoStream(plain.json, {
    endpoint: streamEndpoint(record),
    clientAskedUsage: record.intent.wantsUsage,
    ...usage,
  });
  const body = events.map((data) => `data: ${data}\n\n`).join('');
  return { status: 200, headers: STREAM_HEADERS, body };
}

export function deliverStream(
  relay: Relay,
  record: CallRecord,
  answer: StreamAnswer,
  countSuccess: CountSuccess,
): Outgoing {
  const reader = readerFor(relay, record);
  let hasEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    hasEnded = () => {
      relay.ctx.observer.streamEnded();
      resolve();
    };
  });
  void trackInFlight(relay, ended);
  relay.ctx.observer.streamStarted();
  const stream = new AnswerStream({
    requestId: record.incoming.requestId,
    answer,
    reader,
    mustAnswer: !record.inBackground,
    forwardsComments: !clientDialect(record.incoming).refusesComments,
    stopsWithClient:
      record.channel !== undefined && providerFor(record.channel).stopsWithClient === true,
    idleMs: idleLimitMs(relay, record),
    pingMs: pingMsOf(relay),
    now: relay.ctx.now,
    onFirstContent: () => {
      record.firstContentAtMs = relay.ctx.now();
    },
    onBreak: (error) => {
      if (reader.error === undefined) {
        markBroken(record, brokenUpstream(error));
        return { ...brokenUpstream(error, callerLanguage(record.incoming)), param: null };
      }
      const shown = withoutKeys(reader.error, record.channel?.keys ?? []);
      markBroken(record, shown);
      return shownError(relay, record, shown, shown.status);
    },
    async onEnd(ending, contentDelivered) {
      try {
        return await endStream(relay, record, { reader, ending, contentDelivered, countSuccess });
      } finally {
        await releasePermits(relay, record);
        hasEnded();
      }
    },
  });
  return { status: 200, headers: streamHeaders(record), body: stream };
}

/** Pause after which a silent stream gets a keep-alive; 0 = never. */
export function pingMsOf({ ctx }: Relay): number {
  const options = ctx.options();
  return options.get('general_setting.ping_interval_enabled')
    ? options.get('general_setting.ping_interval_seconds') * 1000
    : 0;
}

/** A Gemini stream in its JSON form is one JSON list. */
function streamHeaders({ incoming }: CallRecord): Readonly<Record<string, string>> {
  return incoming.pathAsks?.asList ? { ...STREAM_HEADERS, ...JSON_HEADERS } : STREAM_HEADERS;
}

interface StreamEnd {
  readonly reader: AnswerReader;
  readonly ending: Ending;
  readonly contentDelivered: boolean;
  readonly countSuccess: CountSuccess;
}

/** Settles the stream and returns its closing frames. */
async function endStream(relay: Relay, record: CallRecord, end: StreamEnd): Promise<string> {
  const { reader, ending, contentDelivered } = end;
  record.ending = ending === 'upstream_broke' && !contentDelivered ? 'failed' : ending;
  reportToBreaker(relay, record, ending);
  record.trace?.recordResponse({ finishReasons: reader.finishReasons ?? [] });
  if (record.inBackground && ending !== 'answered') {
    await settleByPoll(relay, record, reader.keptIds ?? []);
    return '';
  }
  await fillUsage(
    relay,
    record,
    contentsOf(record, reader),
    contentDelivered || ending === 'answered',
  );
  await settle(relay, record);
  if (record.ending === 'failed') recordFailedCall(relay, record);
  if (ending === 'answered') {
    await rememberAnswer(relay, record, reader.keptIds ?? []);
    await end.countSuccess();
  }
  return ending === 'answered' ? reader.closing(reportedUsage(record)) : '';
}

function contentsOf({ incoming }: CallRecord, reader: AnswerReader) {
  const { counted, delivered, images, audioBytes } = reader;
  return {
    counted,
    delivered,
    audioBytes,
    units: isImages(incoming.endpoint) ? images : undefined,
  };
}
