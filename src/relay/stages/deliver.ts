/** Delivers the answer of a successful attempt to the client and settles its usage. */
import { clientDialect } from '../../dialects/all.ts';
import { writeEmbedAnswer } from '../../dialects/gemini/embeddings.ts';
import type {
  AnswerReader,
  Counted,
  PlainAnswer,
} from '../../dialects/hub/answer/answer-reader.ts';
import { withEmbeddingEncoding } from '../../dialects/openai/endpoints/embeddings.ts';
import { imageEvents } from '../../dialects/openai/endpoints/image-events.ts';
import { readOpenAiUsage, totalInput, type Usage, withTier } from '../../domain/pricing/usage.ts';
import { isObject, type JsonObject, textIn } from '../../json/read-json.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { type Arrived, billedFor } from '../billing/complete-usage.ts';
import { dropPermits } from '../billing/release-permits.ts';
import { reportedUsage, withReportedUsage } from '../billing/reported-usage.ts';
import { settle, trackStream } from '../billing/settle.ts';
import type { Routed } from '../call/admitted.ts';
import { withBrokenLast } from '../call/attempt-record.ts';
import { type Answered, answered, type Ending, ended, inBackground } from '../call/call-end.ts';
import { clientModel } from '../call/call-facts.ts';
import { callerLanguage, type Outgoing } from '../call/incoming-call.ts';
import type { Ports, Relay } from '../call/relay-ports.ts';
import { reportToBreaker } from '../failures/attempt-outcome.ts';
import { brokenResult, refusedResult } from '../failures/attempt-results.ts';
import { recordFailedCall } from '../failures/failed-call.ts';
import { brokenUpstream, shownError } from '../failures/upstream-failures.ts';
import type { Continuation, Delivered } from '../features/feature.ts';
import { answeredTier, type StreamAnswer, type WholeAnswer } from '../http/answer-types.ts';
import { withoutKeys } from '../http/redact-repeated-keys.ts';
import { isImages } from '../translate/openai-endpoint-answer.ts';
import { readerFor } from '../translate/select-reader.ts';
import { audioHeaders } from './deliver-audio.ts';
import { AnswerStream } from './deliver-stream.ts';
import { idleLimitMs } from './first-content.ts';

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

export async function deliverWhole(
  relay: Ports<'counter' | 'credit' | 'ctx' | 'features' | 'outcomes' | 'permits' | 'prices'>,
  call: Routed,
  { plain, call: upstream }: WholeAnswer,
  countSuccess: CountSuccess,
): Promise<Outgoing> {
  const hasLeft = call.incoming.client.leftAtMs !== undefined;
  const firstContentAtMs = relay.ctx.now();
  call.trace?.recordResponse({
    finishReasons: plain.finishReasons,
    model: ownModel(call, plain.json),
  });
  const { delivered, units } = plain;
  const tier = answeredTier(upstream.headers);
  // Nothing was delivered to a client that disconnected, so only usage reported by the upstream is
  // charged.
  const billed = await billedFor(
    relay,
    call,
    { counted: countedOf(plain), delivered, units, tier },
    !hasLeft,
  );
  const ending = hasLeft ? 'client_left' : 'answered';
  const end = answered(call, billed, { ending, firstContentAtMs });
  await settle(relay, end);
  await afterDelivery(relay, call, { plain });
  if (!hasLeft) await countSuccess();
  const reported = withReportedUsage(end, plain);
  const outgoing = call.intent.stream ? asStream(end, reported) : asWhole(end, reported);
  if (end.usageSource !== 'estimated') return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, 'x-gateway-usage': 'estimated' } };
}

/**
 * The upstream's name of the model that answered; undefined if the answer shows the client's name
 * instead.
 */
function ownModel(call: Routed, json: JsonObject): string | undefined {
  return clientModel(call) === undefined ? textIn(json, 'model') : undefined;
}

function asWhole(end: Answered, plain: PlainAnswer): Outgoing {
  const { text, contentType, audio } = plain;
  if (audio !== undefined)
    return { status: 200, headers: audioHeaders(end.call, contentType ?? ''), body: audio };
  if (contentType !== undefined)
    return { status: 200, headers: { 'content-type': contentType }, body: text };
  const json = shownJson(end, plain);
  const body = json === plain.json ? text : JSON.stringify(json);
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The answer in the client's form; the same object if nothing changes. */
function shownJson(end: Answered, { json }: PlainAnswer): JsonObject {
  const { incoming, intent } = end.call;
  if (incoming.endpoint === 'rerank') return withUsage(json, end.usage);
  if (incoming.endpoint !== 'embeddings') return json;
  if (intent.embeds !== undefined)
    return writeEmbedAnswer(
      withEmbeddingEncoding(json, 'float'),
      incoming.pathAsks?.isBatch === true,
    );
  return withUsage(withEmbeddingEncoding(json, intent.body.encoding_format), end.usage);
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
function asStream(end: Answered, plain: PlainAnswer): Outgoing {
  const { endpoint } = end.call.incoming;
  if (isImages(endpoint)) {
    const body = imageEvents(plain.json, endpoint === 'imageEdits');
    return { status: 200, headers: STREAM_HEADERS, body };
  }
  // Models that cannot stream audio or text ignore the request, as OpenAI's do.
  if (plain.frames === undefined) return asWhole(end, plain);
  const body = plain.frames(reportedUsage(end));
  return { status: 200, headers: streamHeaders(end.call), body };
}

interface StreamDelivery {
  readonly countSuccess: CountSuccess;
  readonly continuation: Continuation | undefined;
}

export function deliverStream(
  relay: Relay,
  call: Routed,
  answer: StreamAnswer,
  { countSuccess, continuation }: StreamDelivery,
): Outgoing {
  const reader = readerFor(relay, call);
  const { channel, plan } = call.route;
  let firstContentAtMs = 0;
  let { attempts } = call;
  const hasEnded = trackStream(relay);
  const stream = new AnswerStream({
    requestId: call.incoming.requestId,
    answer,
    reader,
    mustAnswer: continuation === undefined,
    forwardsComments: !clientDialect(call.incoming).refusesComments,
    stopsWithClient: plan.provider.stopsWithClient === true,
    idleMs: idleLimitMs(relay, call),
    pingMs: pingMsOf(relay),
    now: relay.ctx.now,
    onFirstContent: () => {
      firstContentAtMs = relay.ctx.now();
    },
    onBreak: (error) => {
      if (reader.error === undefined) {
        attempts = withBrokenLast(attempts, brokenResult(error));
        return { ...brokenUpstream(error, callerLanguage(call.incoming)), param: null };
      }
      const shown = withoutKeys(reader.error, channel.keys);
      attempts = withBrokenLast(attempts, refusedResult(shown));
      return shownError(relay, call, shown, shown.status);
    },
    async onEnd(how, contentDelivered) {
      const tier = answeredTier(answer.call.headers);
      const end = { reader, how, contentDelivered, firstContentAtMs, countSuccess, continuation };
      try {
        return await endStream(relay, { ...call, attempts }, { tier, ...end });
      } finally {
        await dropPermits(relay, call);
        hasEnded();
      }
    },
  });
  return { status: 200, headers: streamHeaders(call), body: stream };
}

/** Pause after which a silent stream gets a keep-alive; 0 = never. */
export function pingMsOf({ ctx }: Ports<'ctx'>): number {
  const options = ctx.options();
  return options.get('general_setting.ping_interval_enabled')
    ? options.get('general_setting.ping_interval_seconds') * 1000
    : 0;
}

/** A Gemini stream in its JSON form is one JSON list. */
function streamHeaders({ incoming }: Routed): Readonly<Record<string, string>> {
  return incoming.pathAsks?.asList ? { ...STREAM_HEADERS, ...JSON_HEADERS } : STREAM_HEADERS;
}

interface StreamEnd extends StreamDelivery {
  readonly reader: AnswerReader;
  readonly how: Ending;
  readonly contentDelivered: boolean;
  readonly firstContentAtMs: number;
  readonly tier: string | undefined;
}

/** Settles the stream and returns its closing frames. */
async function endStream(relay: Relay, call: Routed, streamEnd: StreamEnd): Promise<string> {
  const { reader, how, contentDelivered, firstContentAtMs, tier, continuation } = streamEnd;
  const ending = how === 'upstream_broke' && !contentDelivered ? 'failed' : how;
  reportToBreaker(relay, call, how, reader.error);
  call.trace?.recordResponse({ finishReasons: reader.finishReasons ?? [] });
  if (continuation !== undefined && how !== 'answered') {
    await continuation.leave(relay, ended(call, { ending, firstContentAtMs }), reader);
    return '';
  }
  const mayEstimate = contentDelivered || how === 'answered';
  const billed = await billedFor(relay, call, contentsOf(call, reader, tier), mayEstimate);
  const end = answered(call, billed, { ending, firstContentAtMs });
  await settle(relay, continuation === undefined ? end : inBackground(end));
  if (ending === 'failed') recordFailedCall(relay, end.call);
  if (how !== 'answered') return '';
  // The closing frames complete the items.
  const closing = reader.closing(reportedUsage(end));
  await afterDelivery(relay, call, { reader });
  await streamEnd.countSuccess();
  return closing;
}

async function afterDelivery(
  relay: Ports<'ctx' | 'features'>,
  call: Routed,
  delivered: Delivered,
): Promise<void> {
  const hooks = relay.features.ofClient(call.incoming).onDelivered;
  if (hooks.length > 0)
    await Promise.all(hooks.map((onDelivered) => onDelivered(relay, call, delivered)));
}

function contentsOf({ incoming }: Routed, reader: AnswerReader, tier: string | undefined): Arrived {
  const { counted, delivered, images, audioBytes } = reader;
  const units = isImages(incoming.endpoint) ? images : undefined;
  return { counted, delivered, audioBytes, units, tier };
}
