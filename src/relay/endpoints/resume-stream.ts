/**
 * Streams a stored answer again, from the start or from an event on, for clients whose stream was
 * interrupted.
 */

import type { AnswerReader } from '../../dialects/hub/answer/answer-reader.ts';
import { RESPONSES } from '../../dialects/responses/responses.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import { callerLanguage, type Outgoing } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import {
  brokenAttempt,
  brokenUpstream,
  type FailedAttempt,
  refusedAttempt,
  shownError,
} from '../failures/upstream-failures.ts';
import type { StoredResponse } from '../features/responses/remember-response.ts';
import { type ChannelRequest, openExchange } from '../http/channel-exchange.ts';
import { decodeBody, decodedSource } from '../http/content-encoding.ts';
import { Deadline } from '../http/deadline.ts';
import { frameReaderOf } from '../http/framing.ts';
import { eventsWithoutKeys, withoutKeys } from '../http/redact-repeated-keys.ts';
import { collect, type UpstreamCall } from '../http/upstream-call.ts';
import { pingMsOf, STREAM_HEADERS } from '../stages/deliver.ts';
import { AnswerStream } from '../stages/deliver-stream.ts';
import { dialectReader } from '../translate/translated-stream-reader.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const PAIR = { client: RESPONSES, upstream: RESPONSES, isSame: true } as const;

/** Awaits `settle` before the last event is sent. @throws UpstreamFailure, ClientLeft */
export async function resumeStream(
  relay: Ports<'ctx' | 'inFlight' | 'pools'>,
  failedAttempt: FailedAttempt,
  stored: StoredResponse,
  { request, settle }: { readonly request: ChannelRequest; readonly settle: () => Promise<void> },
): Promise<Outgoing> {
  const { ctx } = relay;
  const deadline = new Deadline(failedAttempt.incoming.client, ctx.config.clientGraceMs, ctx.now);
  const call = await begin(relay, failedAttempt, { stored, request, deadline });
  const frames = frameReaderOf(call.headers['content-type']);
  if (frames === undefined)
    throw brokenAttempt(relay, failedAttempt, new AppError('upstream_garbled'));
  const used = stored.channel.keys.filter(({ key }) => key === stored.key);
  const reader = eventsWithoutKeys(frames, used);
  const source = decodedSource(call, call.headers);
  const answer = {
    kind: 'stream',
    call,
    deadline,
    credentials: undefined,
    source,
    reader,
    first: [],
  } as const;
  const hasEnded = relay.inFlight.begin();
  const events = readerFor(relay, failedAttempt, stored);
  const body = new AnswerStream({
    requestId: failedAttempt.incoming.requestId,
    answer,
    reader: events,
    // The stream may resume after the last piece of content.
    mustAnswer: false,
    forwardsComments: true,
    // A background answer continues without its reader.
    stopsWithClient: false,
    idleMs: ctx.config.streamIdleTimeoutMs,
    pingMs: pingMsOf(relay),
    now: ctx.now,
    onFirstContent: () => undefined,
    onBreak: (error) => {
      if (events.error === undefined)
        return {
          ...brokenUpstream(error, callerLanguage(failedAttempt.incoming)),
          param: null,
        };
      const upstreamError = withoutKeys(events.error, stored.channel.keys);
      return shownError(relay, failedAttempt, upstreamError, upstreamError.status);
    },
    onEnd: async (ending) => {
      if (ending === 'answered') await settle();
      hasEnded();
      return events.closing(undefined);
    },
  });
  return { status: 200, headers: STREAM_HEADERS, body };
}

/** @throws UpstreamFailure, ClientLeft */
async function begin(
  relay: Ports<'ctx' | 'pools'>,
  failedAttempt: FailedAttempt,
  {
    stored,
    request,
    deadline,
  }: { stored: StoredResponse; request: ChannelRequest; deadline: Deadline },
): Promise<UpstreamCall> {
  const { ctx, pools } = relay;
  const sinceMs = ctx.now();
  let call: UpstreamCall | undefined;
  try {
    call = await openExchange(pools, ctx, stored.channel, request);
    deadline.watch(call);
    for (;;) {
      const leftMs = deadline.leftMs(sinceMs, ctx.config.streamIdleTimeoutMs);
      if (leftMs < 0)
        throw deadline.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
      if ((await call.start(leftMs)) === 'started') break;
    }
    if (call.status === 200) return call;
    const bodyText = await textOf(call, deadline);
    const { status, headers } = call;
    const upstreamError = readUpstreamError({ status, headers, bodyText, nowMs: ctx.now() });
    throw refusedAttempt(relay, failedAttempt, upstreamError);
  } catch (error) {
    call?.abort();
    throw brokenAttempt(relay, failedAttempt, error);
  }
}

async function textOf(call: UpstreamCall, deadline: Deadline): Promise<string> {
  const raw = await collect(call, MAX_BYTES, () => deadline.leftMs(0, 0));
  return (await decodeBody(raw, call.headers, MAX_BYTES)).toString('utf8');
}

function readerFor(
  relay: Ports<'ctx'>,
  { incoming }: FailedAttempt,
  { model }: StoredResponse,
): AnswerReader {
  return dialectReader({
    pair: PAIR,
    context: {
      id: incoming.requestId,
      createdSec: Math.floor(relay.ctx.now() / 1000),
      model,
      tools: [],
    },
    clientModel: model,
    thinkingToContent: false,
    thinkTags: false,
    ignoresUsage: true,
    isSideEvent: () => false,
    onSignature: () => undefined,
  });
}
