/** From a good attempt to the client, and the usage to the bill. */
import type { Delivered } from '../dialects/openai/delivered.ts';
import { withEncoding } from '../dialects/openai/embeddings.ts';
import type { PlainAnswer } from '../dialects/openai/plain-answer.ts';
import { pseudoStream } from '../dialects/openai/pseudo-stream.ts';
import { ChatStreamReader, type FrameReshaper } from '../dialects/openai/stream-reader.ts';
import { StrictFormat } from '../dialects/openai/strict-format.ts';
import { ThinkingToContent } from '../dialects/openai/thinking-to-content.ts';
import { emptyUsage, readOpenAiUsage, toOpenAiUsage, type Usage } from '../domain/usage.ts';
import type { JsonObject } from '../providers/json.ts';
import type { CountSuccess } from './admit.ts';
import { idleLimitMs, type StreamAnswer, type WholeAnswer } from './attempt.ts';
import { brokenUpstream, shownError } from './failures.ts';
import type { Outgoing } from './incoming.ts';
import {
  answerIdentity,
  type CallRecord,
  clientModel,
  type Ending,
  noteBreak,
  streamEndpoint,
} from './record.ts';
import type { Relay } from './relay-context.ts';
import { settle, track } from './settle.ts';
import { AnswerStream } from './stream-answer.ts';

const STREAM_HEADERS = {
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
  // Nothing reached a client that left, so only what the upstream itself reports is charged.
  await fillUsage(relay, record, plain.usage, plain.delivered, !hasLeft);
  await settle(relay, record);
  if (!hasLeft) await countSuccess();
  return record.intent.stream ? asStream(record, plain) : asJson(record, plain);
}

function asJson(record: CallRecord, plain: PlainAnswer): Outgoing {
  if (record.incoming.endpoint !== 'embeddings')
    return { status: 200, headers: JSON_HEADERS, body: plain.text };
  const encoded = withEncoding(plain.json, record.intent.body.encoding_format);
  const body = encoded === plain.json ? plain.text : JSON.stringify(encoded);
  return { status: 200, headers: JSON_HEADERS, body };
}

/** The client asked for a stream and the upstream answered in one piece. */
function asStream(record: CallRecord, plain: PlainAnswer): Outgoing {
  const usage = record.usage === undefined ? {} : { usage: { ...toOpenAiUsage(record.usage) } };
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
  const reader = readerFor(record);
  const options = relay.ctx.options();
  const pingSeconds = options.get('general_setting.ping_interval_enabled')
    ? options.get('general_setting.ping_interval_seconds')
    : 0;
  let hasEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    hasEnded = resolve;
  });
  void track(relay, ended);
  const stream = new AnswerStream({
    requestId: record.incoming.requestId,
    answer,
    reader,
    idleMs: idleLimitMs(relay, record),
    pingMs: pingSeconds * 1000,
    now: relay.ctx.now,
    onFirstContent: () => {
      record.firstContentAtMs = relay.ctx.now();
    },
    onBreak: (error) => {
      const said = reader.error ?? brokenUpstream(error);
      noteBreak(record, said);
      return reader.error === undefined
        ? { ...said, param: null }
        : shownError(relay, record, said, said.status);
    },
    onEnd: (ending, contentDelivered) => {
      const end = { reader, ending, contentDelivered, countSuccess };
      return endStream(relay, record, end).finally(hasEnded);
    },
  });
  return { status: 200, headers: STREAM_HEADERS, body: stream };
}

function readerFor(record: CallRecord): ChatStreamReader {
  const endpoint = streamEndpoint(record);
  const identity = answerIdentity(record);
  const model = clientModel(record);
  const setting = record.channel?.setting;
  const reshapers: FrameReshaper[] = [];
  if (setting?.forceFormat) reshapers.push(new StrictFormat(endpoint, identity));
  if (setting?.thinkingToContent) reshapers.push(new ThinkingToContent());
  return new ChatStreamReader({
    endpoint,
    clientAskedUsage: record.intent.wantsUsage,
    identity,
    ...(model === undefined ? {} : { clientModel: model }),
    reshapers,
  });
}

interface StreamEnd {
  readonly reader: ChatStreamReader;
  readonly ending: Ending;
  readonly contentDelivered: boolean;
  readonly countSuccess: CountSuccess;
}

/** Settles the stream and answers the data of its closing events. */
async function endStream(
  relay: Relay,
  record: CallRecord,
  end: StreamEnd,
): Promise<readonly string[]> {
  const { reader, ending, contentDelivered } = end;
  record.ending = ending === 'upstream_broke' && !contentDelivered ? 'failed' : ending;
  tellBreaker(relay, record, ending);
  await fillUsage(
    relay,
    record,
    reader.usage,
    reader.delivered,
    contentDelivered || ending === 'answered',
  );
  await settle(relay, record);
  if (ending === 'answered') await end.countSuccess();
  return reader.tail(record.usage === undefined ? undefined : { ...toOpenAiUsage(record.usage) });
}

/** A channel whose streams begin well and break is as unwell as one that does not answer. */
function tellBreaker(relay: Relay, record: CallRecord, ending: Ending): void {
  const channelId = record.channel?.id ?? 0;
  if (ending === 'answered') relay.breakers.succeeded(channelId);
  else if (ending === 'upstream_broke') relay.breakers.failed(channelId);
  else relay.breakers.released(channelId);
}

/** The upstream's own figures; else, where content went out, our count of prompt and content. */
async function fillUsage(
  relay: Relay,
  record: CallRecord,
  reported: JsonObject | undefined,
  delivered: Delivered,
  mayEstimate: boolean,
): Promise<void> {
  if (relay.ctx.options().get('LogChatContentEnabled')) record.answerText = delivered.text;
  const usage = reported === undefined ? undefined : readOpenAiUsage(reported);
  if (usage === undefined && !mayEstimate) return;
  record.usage = usage ?? (await estimate(relay, record, delivered));
  record.usageSource = usage === undefined ? 'estimated' : 'upstream';
}

/** An answer without any content is not charged by the token. */
async function estimate(relay: Relay, record: CallRecord, delivered: Delivered): Promise<Usage> {
  const { endpoint } = record.incoming;
  const answersWithText = endpoint === 'chat' || endpoint === 'completions';
  if (answersWithText && delivered.isEmpty) return emptyUsage();
  const model = record.upstreamModel;
  const [input, output] = await Promise.all([
    relay.counter.countPrompt(model, endpoint, record.intent.body),
    delivered.chars === 0 ? 0 : relay.counter.countText(model, delivered.text),
  ]);
  // What is beyond the kept text is taken at four characters a token.
  const beyond = Math.ceil(delivered.uncountedChars / 4);
  return { ...emptyUsage(), input, output: output + beyond };
}
