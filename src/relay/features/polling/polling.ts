/**
 * Gets answers of a model call that are not in the first reply: images generated asynchronously,
 * and audio to be downloaded.
 */
import { AppError } from '../../../domain/errors/errors.ts';
import { readUpstreamError } from '../../../upstream-errors/read-upstream-error.ts';
import { ClientLeft } from '../../failures/failed-attempt.ts';
import { refusedAttempt } from '../../failures/upstream-failures.ts';
import { conversionFor, conversionOf } from '../../translate/openai-endpoint-request.ts';
import type { Feature } from '../feature.ts';
import { pollUntilDone } from './poll-until-done.ts';

/** Limit when the operator sets none. */
const LONGEST_MS = 15 * 60_000;

export const polling: Feature = {
  route: {
    appliesTo: ({ pair, provider, endpoint }) =>
      pair === undefined && conversionOf(provider, endpoint)?.follow !== undefined,
    /** Limited by how long the client waits. */
    complete(relay, call, { deadline, choice }, { first, sinceMs }) {
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
    },
  },
};
