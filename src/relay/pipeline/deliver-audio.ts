/** Delivers speech to the client, streamed or whole. */
import { DeliveredContent } from '../../dialects/openai/answer/delivered-content.ts';
import { textIn } from '../../json/read-json.ts';
import { releasePermits } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { fillUsage } from '../billing/complete-usage.ts';
import { settle, trackInFlight } from '../billing/settle.ts';
import { type CallRecord, type Ending, markBroken } from '../call/call-record.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import { reportToBreaker } from '../failures/attempt-outcome.ts';
import { withoutKeys } from '../failures/redact-repeated-keys.ts';
import { brokenUpstream } from '../failures/upstream-failures.ts';
import type { AudioAnswer } from './answer-types.ts';
import { AudioStream } from './audio-stream.ts';
import { idleLimitMs } from './first-content.ts';
import type { Relay } from './relay-context.ts';

export function deliverAudio(
  relay: Relay,
  record: CallRecord,
  answer: AudioAnswer,
  countSuccess: CountSuccess,
): Outgoing {
  record.firstContentAtMs = relay.ctx.now();
  let hasEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    hasEnded = () => {
      relay.ctx.observer.streamEnded();
      resolve();
    };
  });
  void trackInFlight(relay, ended);
  relay.ctx.observer.streamStarted();
  const stream = new AudioStream({
    answer,
    idleMs: idleLimitMs(relay, record),
    onBreak: (error) =>
      markBroken(record, withoutKeys(brokenUpstream(error), record.channel?.keys ?? [])),
    async onEnd(ending, bytes) {
      try {
        await endAudio(relay, record, { ending, bytes, countSuccess });
      } finally {
        await releasePermits(relay, record);
        hasEnded();
      }
    },
  });
  return { status: 200, headers: audioHeaders(record, answer.contentType), body: stream };
}

interface AudioEnd {
  readonly ending: Ending;
  readonly bytes: number;
  readonly countSuccess: CountSuccess;
}

async function endAudio(relay: Relay, record: CallRecord, end: AudioEnd): Promise<void> {
  const { ending, bytes, countSuccess } = end;
  record.ending = ending;
  reportToBreaker(relay, record, ending);
  const delivered = new DeliveredContent();
  delivered.addMedia();
  await fillUsage(relay, record, { counted: undefined, delivered, audioBytes: bytes }, true);
  await settle(relay, record);
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
  { intent }: CallRecord,
  contentType: string,
): Readonly<Record<string, string>> {
  const requested = TYPES[textIn(intent.body, 'response_format') ?? 'mp3'];
  const isAudio = /^audio\/[\w.+-]+$/.test(contentType);
  return { 'content-type': isAudio ? contentType : (requested ?? 'application/octet-stream') };
}
