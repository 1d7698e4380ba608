/**
 * Gets answers of a model call that are not in the first reply: images generated asynchronously,
 * and audio to be downloaded.
 */
import { AppError } from '../../domain/errors/errors.ts';
import { readUpstreamError } from '../../upstream-errors/read-upstream-error.ts';
import type { CallRecord } from '../call/call-record.ts';
import { ClientLeft } from '../failures/failed-attempt.ts';
import { refusedAttempt } from '../failures/upstream-failures.ts';
import { conversionFor } from '../translate/openai-endpoint-request.ts';
import type { Exchange } from './answer-types.ts';
import { type Arrived, followedUp } from './poll-answer.ts';
import type { Relay } from './relay-context.ts';

/** Limit when the operator sets none. */
const LONGEST_MS = 15 * 60_000;

/**
 * Limited by how long the client waits.
 * @throws UpstreamFailure, ClientLeft, AppError upstream_timeout, upstream_failed.
 */
export function followedCall(
  relay: Relay,
  record: CallRecord,
  { patience, choice }: Pick<Exchange, 'patience' | 'choice'>,
  { first, sinceMs }: { readonly first: Arrived; readonly sinceMs: number },
): Promise<Arrived> {
  const { ctx, pools } = relay;
  const limitMs = ctx.config.relayTimeoutMs || LONGEST_MS;
  return followedUp(pools, ctx, first, {
    channel: choice.channel,
    key: choice.key.key,
    conversion: conversionFor(record),
    leftMs() {
      const leftMs = patience.leftMs(sinceMs, limitMs);
      if (leftMs >= 0) return leftMs;
      throw patience.clientLeft ? new ClientLeft() : new AppError('upstream_timeout');
    },
    refused({ status, headers, text }) {
      const said = { status, headers, bodyText: text, nowMs: ctx.now() };
      return refusedAttempt(relay, record, readUpstreamError(said));
    },
  });
}
