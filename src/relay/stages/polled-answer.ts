/**
 * Gets answers of a model call that are not in the first reply: images generated asynchronously,
 * and audio to be downloaded.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { Routed } from '../call/admitted.ts';
import type { Ports } from '../call/relay-ports.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import type { Exchange } from '../http/answer-types.ts';
import { conversionFor } from '../translate/openai-endpoint-request.ts';
import { type PolledAnswer, pollUntilDone } from '../translate/poll-answer.ts';

/** Limit when the operator sets none. */
const LONGEST_MS = 15 * 60_000;

/**
 * Limited by how long the client waits.
 * @throws UpstreamFailure, ClientLeft, AppError upstream_timeout, upstream_failed.
 */
export function pollAnswerOfCall(
  relay: Ports<'ctx' | 'pools'>,
  call: Routed,
  { deadline, choice }: Pick<Exchange, 'deadline' | 'choice'>,
  { first, sinceMs }: { readonly first: PolledAnswer; readonly sinceMs: number },
): Promise<PolledAnswer> {
  const { ctx, pools } = relay;
  const limitMs = ctx.config.relayTimeoutMs || LONGEST_MS;
  return pollUntilDone(pools, ctx, first, {
    channel: choice.channel,
    key: choice.key.key,
    conversion: conversionFor(call),
    leftMs() {
      const leftMs = deadline.leftMs(sinceMs, limitMs);
      if (leftMs >= 0) return leftMs;
      throw deadline.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    },
    refused({ status, headers, text }) {
      const upstreamError = { status, headers, bodyText: text, nowMs: ctx.now() };
      return refusedAttempt(relay, call, readUpstreamError(upstreamError));
    },
  });
}
