/**
 * Streams a stored answer again, from the start or from an event on, for clients whose stream was
 * interrupted.
 */

import { RESPONSES } from '../../dialects/responses/responses.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import { track } from '../billing/settle.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { eventsWithoutKeys, withoutKeys } from '../failures/redact-repeated-keys.ts';
import {
  type Asking,
  brokenAttempt,
  brokenUpstream,
  refusedAttempt,
  shownError,
} from '../failures/upstream-failures.ts';
import { openExchange, type Question } from '../http/channel-exchange.ts';
import { decodeBody, decodedSource } from '../http/content-encoding.ts';
import { Patience } from '../http/deadline.ts';
import { frameReaderOf } from '../http/framing.ts';
import { collect, type UpstreamCall } from '../http/upstream-call.ts';
import { pingMsOf, STREAM_HEADERS } from '../pipeline/deliver.ts';
import { AnswerStream } from '../pipeline/deliver-stream.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import type { AnswerReader } from '../translate/stream-reader.ts';
import { dialectReader } from '../translate/translated-stream-reader.ts';
import type { Kept } from './remember-response.ts';

const MAX_BYTES = 8 * 1024 * 1024;
const SPEECH = { client: RESPONSES, upstream: RESPONSES, isSame: true } as const;

/** Awaits `settle` before the last event is sent. @throws UpstreamFailure, ClientLeft */
export async function streamAgain(
  relay: Relay,
  asking: Asking,
  kept: Kept,
  { question, settle }: { readonly question: Question; readonly settle: () => Promise<void> },
): Promise<Outgoing> {
  const { ctx } = relay;
  const patience = new Patience(asking.incoming.client, ctx.config.clientGraceMs, ctx.now);
  const call = await begin(relay, asking, { kept, question, patience });
  const frames = frameReaderOf(call.headers['content-type']);
  if (frames === undefined) throw brokenAttempt(relay, asking, new AppError('upstream_garbled'));
  const used = kept.channel.keys.filter(({ key }) => key === kept.key);
  const reader = eventsWithoutKeys(frames, used);
  const source = decodedSource(call, call.headers);
  const answer = {
    kind: 'stream',
    call,
    patience,
    proof: undefined,
    source,
    reader,
    first: [],
  } as const;
  let hasEnded = (): void => undefined;
  void track(
    relay,
    new Promise<void>((resolve) => {
      hasEnded = resolve;
    }),
  );
  const events = readerFor(relay, asking, kept);
  const body = new AnswerStream({
    requestId: asking.incoming.requestId,
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
      const said = withoutKeys(events.error ?? brokenUpstream(error), kept.channel.keys);
      return shownError(relay, asking, said, said.status);
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
  relay: Relay,
  asking: Asking,
  { kept, question, patience }: { kept: Kept; question: Question; patience: Patience },
): Promise<UpstreamCall> {
  const { ctx, pools } = relay;
  const sinceMs = ctx.now();
  let call: UpstreamCall | undefined;
  try {
    call = await openExchange(pools, ctx, kept.channel, question);
    patience.watch(call);
    for (;;) {
      const leftMs = patience.leftMs(sinceMs, ctx.config.streamIdleTimeoutMs);
      if (leftMs < 0)
        throw patience.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
      if ((await call.start(leftMs)) === 'started') break;
    }
    if (call.status === 200) return call;
    const bodyText = await textOf(call, patience);
    const { status, headers } = call;
    const said = readUpstreamError({ status, headers, bodyText, nowMs: ctx.now() });
    throw refusedAttempt(relay, asking, said);
  } catch (error) {
    call?.abort();
    throw brokenAttempt(relay, asking, error);
  }
}

async function textOf(call: UpstreamCall, patience: Patience): Promise<string> {
  const raw = await collect(call, MAX_BYTES, () => patience.leftMs(0, 0));
  return (await decodeBody(raw, call.headers, MAX_BYTES)).toString('utf8');
}

function readerFor(relay: Relay, { incoming }: Asking, { model }: Kept): AnswerReader {
  return dialectReader({
    speech: SPEECH,
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
    isBeside: () => false,
    onSignature: () => undefined,
  });
}
