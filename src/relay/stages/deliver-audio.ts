/** Delivers speech to the client, streamed or whole. */
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { textIn } from '../../json/read-json.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { billedFor } from '../billing/complete-usage.ts';
import { dropPermits } from '../billing/release-permits.ts';
import { settle, trackStream } from '../billing/settle.ts';
import type { Routed } from '../call/admitted.ts';
import { withBrokenLast } from '../call/attempt-record.ts';
import { answered, type Ending } from '../call/call-end.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import type { Relay } from '../call/relay-ports.ts';
import { reportToBreaker } from '../failures/attempt-outcome.ts';
import { brokenResult } from '../failures/attempt-results.ts';
import type { AudioAnswer } from '../http/answer-types.ts';
import { AudioStream } from './audio-stream.ts';
import { idleLimitMs } from './first-content.ts';

export function deliverAudio(
  relay: Relay,
  call: Routed,
  answer: AudioAnswer,
  countSuccess: CountSuccess,
): Outgoing {
  const firstContentAtMs = relay.ctx.now();
  let { attempts } = call;
  const hasEnded = trackStream(relay);
  const stream = new AudioStream({
    answer,
    idleMs: idleLimitMs(relay, call),
    onBreak: (error) => {
      attempts = withBrokenLast(attempts, brokenResult(error));
    },
    async onEnd(ending, bytes) {
      try {
        const end = { ending, bytes, firstContentAtMs, countSuccess };
        await endAudio(relay, { ...call, attempts }, end);
      } finally {
        await dropPermits(relay, call);
        hasEnded();
      }
    },
  });
  return { status: 200, headers: audioHeaders(call, answer.contentType), body: stream };
}

interface AudioEnd {
  readonly ending: Ending;
  readonly bytes: number;
  readonly firstContentAtMs: number;
  readonly countSuccess: CountSuccess;
}

async function endAudio(relay: Relay, call: Routed, end: AudioEnd): Promise<void> {
  const { ending, bytes, firstContentAtMs, countSuccess } = end;
  reportToBreaker(relay, call, ending);
  const delivered = new DeliveredContent();
  delivered.addMedia();
  const arrived = { counted: undefined, delivered, audioBytes: bytes, tier: undefined };
  const billed = await billedFor(relay, call, arrived, true);
  await settle(relay, answered(call, billed, { ending, firstContentAtMs }));
  if (ending === 'answered') await countSuccess();
}

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/**
 * Uses the upstream's content type only if it is an audio type, so that no other content is served
 * from this site.
 */
export function audioHeaders(
  { intent }: Routed,
  contentType: string,
): Readonly<Record<string, string>> {
  const requested = TYPES[textIn(intent.body, 'response_format') ?? 'mp3'];
  const isAudio = /^audio\/[\w.+-]+$/.test(contentType);
  return { 'content-type': isAudio ? contentType : (requested ?? 'application/octet-stream') };
}
