/** Converts the error of an attempt to an `UpstreamFailure`, and classifies it. */
import { AppError, ERROR_KINDS } from '../../domain/errors/errors.ts';
import { upstreamStatusError } from '../../domain/errors/upstream-status.ts';
import type { Language } from '../../domain/languages.ts';
import { errorText } from '../../locales/text.ts';
import { mapStatus, shouldRetry } from '../../upstream-errors/error-policy.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Admitted } from '../call/admitted.ts';
import { callerLanguage } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { Route } from '../call/route.ts';
import { TokenRequestFailed } from '../http/access-token-cache.ts';
import { withoutKeys } from '../http/redact-repeated-keys.ts';
import { ClientLeft, type ShownError, UpstreamFailure } from './failed-attempt.ts';

/** What must be known of a call whose attempt failed. */
export type FailedAttempt = Pick<Admitted, 'caller' | 'incoming'> & {
  readonly route: Pick<Route, 'channel'>;
};

/** The upstream answered with an error. */
export function refusedAttempt(
  relay: Ports<'ctx'>,
  call: FailedAttempt,
  upstreamError: UpstreamError,
): UpstreamFailure {
  const upstream = withoutKeys(upstreamError, call.route.channel?.keys ?? []);
  const mapped = mapStatus(call.route.channel?.statusMapping ?? {}, upstream.status);
  // Of an upstream that upgrades with 200 or redirects, the client must not see a success.
  const isOther = mapped === upstream.status && mapped < 400;
  // HTTP has no other status (RFC 9110 15).
  const status = isOther || mapped < 100 || mapped > 599 ? 502 : mapped;
  return new UpstreamFailure({
    upstream,
    shown: shownError(relay, call, upstream, status),
    // The mapped status decides; the upstream's text counts only if nothing was mapped.
    retryable:
      shouldRetry(status, call.route.channel?.type ?? 0) ||
      (status === upstream.status && upstream.retryable),
  });
}

/** The gateway's own error codes for an upstream that failed before its answer. */
const BROKEN = new Set([
  'upstream_timeout',
  'upstream_slow',
  'upstream_garbled',
  'upstream_empty',
  'upstream_failed',
  'upstream_broke_off',
  'upstream_too_large',
  'channel_unusable',
]);

/**
 * Maps connection errors to 502, timeouts to 504 and invalid answers to 502. All of them may be
 * retried elsewhere, as nothing was sent to the client. Every other error is returned unchanged.
 */
export function brokenAttempt(relay: Ports<'ctx'>, call: FailedAttempt, thrown: unknown): unknown {
  if (thrown instanceof UpstreamFailure || thrown instanceof ClientLeft) return thrown;
  if (call.incoming.client.leftAtMs !== undefined) return new ClientLeft();
  if (thrown instanceof TokenRequestFailed) return refusedAttempt(relay, call, thrown.upstream);
  if (thrown instanceof AppError && thrown.code === 'feature_unsupported')
    return notOnThisChannel(thrown);
  if (thrown instanceof AppError && !BROKEN.has(thrown.code)) return thrown;
  const error =
    thrown instanceof AppError ? thrown : new AppError('upstream_failed', {}, { cause: thrown });
  const upstream = brokenUpstream(error);
  relay.ctx.log.warn(
    {
      err: error.cause ?? error,
      code: error.code,
      channelId: call.route.channel?.id,
      request_id: call.incoming.requestId,
    },
    'an upstream attempt broke',
  );
  const shown = {
    ...upstream,
    param: null,
    status: mapStatus(call.route.channel?.statusMapping ?? {}, upstream.status),
  };
  return new UpstreamFailure({
    upstream,
    shown,
    retryable: true,
    cause: error,
  });
}

/** No request was sent and the upstream is not at fault; the next channel may support the call. */
function notOnThisChannel(error: AppError): UpstreamFailure {
  const upstream = {
    ...brokenUpstream(error),
    type: ERROR_KINDS[error.row.kind].openai,
    param: error.param ?? '',
  };
  return new UpstreamFailure({
    upstream,
    shown: { ...upstream, param: error.param ?? null },
    retryable: true,
    cause: error,
  });
}

/**
 * The gateway's own error for a silent, unreachable or broken upstream, or for an answer that the
 * gateway itself could not finish.
 */
export function brokenUpstream(error: AppError, language: Language = 'en'): UpstreamError {
  return {
    status: error.status,
    message: errorText(error, language),
    type: BROKEN.has(error.code) ? 'upstream_error' : error.kindRow.openai,
    code: error.row.wire ?? error.code,
    param: '',
    retryable: true,
    disablesKey: false,
  };
}

/** What the client may see of the upstream's error; `status` is the mapped one. */
export function shownError(
  relay: Ports<'ctx'>,
  call: FailedAttempt,
  upstream: UpstreamError,
  status: number,
): ShownError {
  const { retryAfterMs } = upstream;
  const instead = replacementOf(relay, call, status) ?? ownWords(upstream);
  const message =
    instead === undefined
      ? upstream.message
      : errorText(instead, callerLanguage(call.incoming) ?? 'en');
  const shown = { status, message, retryAfterMs, ...(instead && { instead }) };
  if (instead?.code === 'upstream_hidden') {
    const code = 'upstream_error';
    return { ...shown, type: code, code, param: null };
  }
  const code = upstream.code === '' ? null : upstream.code;
  const param = upstream.param === '' ? null : upstream.param;
  return { ...shown, type: upstream.type, code, param };
}

/** An upstream without a message leaves the words to the gateway. */
function ownWords(upstream: UpstreamError): AppError | undefined {
  return upstream.message === '' ? upstreamStatusError(upstream) : undefined;
}

/** A 429 is never shown as the upstream words it: the limit is the operator's, not the caller's. */
function replacementOf(
  { ctx }: Ports<'ctx'>,
  { caller }: FailedAttempt,
  status: number,
): AppError | undefined {
  if (status === 429) return new AppError('upstream_saturated', { group: caller.group });
  return ctx.options().get('global.hide_upstream_error_enabled')
    ? new AppError('upstream_hidden', { status })
    : undefined;
}
