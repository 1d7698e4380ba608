/** Delivers speech to the client, streamed or whole. */
import { Delivered } from '../../dialects/openai/delivered.ts';
import { textIn } from '../../json/read-json.ts';
import { giveBackShares } from '../admission/caps.ts';
import type { CountSuccess } from '../admission/count-success.ts';
import { fillUsage } from '../billing/complete-usage.ts';
import { settle, track } from '../billing/settle.ts';
import { type CallRecord, type Ending, noteBreak } from '../call/call-record.ts';
import type { Outgoing } from '../call/incoming-call.ts';
import { noteEnding } from '../failures/attempt-outcome.ts';
import { withoutKeys } from '../failures/redact-repeated-keys.ts';
import { brokenUpstream } from '../failures/upstream-failures.ts';
import type { SoundAnswer } from './answer-types.ts';
import { SoundStream } from './audio-stream.ts';
import { idleLimitMs } from './first-content.ts';
import type { Relay } from './relay-context.ts';

export function deliverSound(
  relay: Relay,
  record: CallRecord,
  answer: SoundAnswer,
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
  void track(relay, ended);
  relay.ctx.observer.streamBegan();
  const stream = new SoundStream({
    answer,
    idleMs: idleLimitMs(relay, record),
    onBreak: (error) =>
      noteBreak(record, withoutKeys(brokenUpstream(error), record.channel?.keys ?? [])),
    async onEnd(ending, bytes) {
      try {
        await endSound(relay, record, { ending, bytes, countSuccess });
      } finally {
        await giveBackShares(relay, record);
        hasEnded();
      }
    },
  });
  return { status: 200, headers: soundHeaders(record, answer.contentType), body: stream };
}

interface SoundEnd {
  readonly ending: Ending;
  readonly bytes: number;
  readonly countSuccess: CountSuccess;
}

async function endSound(relay: Relay, record: CallRecord, end: SoundEnd): Promise<void> {
  const { ending, bytes, countSuccess } = end;
  record.ending = ending;
  noteEnding(relay, record, ending);
  const delivered = new Delivered();
  delivered.addMedia();
  await fillUsage(relay, record, { counted: undefined, delivered, soundBytes: bytes }, true);
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
export function soundHeaders(
  { intent }: CallRecord,
  contentType: string,
): Readonly<Record<string, string>> {
  const asked = TYPES[textIn(intent.body, 'response_format') ?? 'mp3'];
  const isSound = /^audio\/[\w.+-]+$/.test(contentType);
  return { 'content-type': isSound ? contentType : (asked ?? 'application/octet-stream') };
}
