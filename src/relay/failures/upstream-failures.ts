/** Turns what went wrong with an attempt into one `UpstreamFailure`, and decides what it means. */
import { AppError, ERROR_KINDS } from '../../domain/errors/errors.ts';
import { errorText } from '../../locales/text.ts';
import { mapStatus, shouldRetry } from '../../upstream-errors/error-policy.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { CallRecord } from '../call/call-record.ts';
import { TokenRefused } from '../http/access-token-cache.ts';
import type { Relay } from '../pipeline/relay-context.ts';
import { ClientLeft, type ShownError, UpstreamFailure } from './failed-attempt.ts';
import { withoutKeys } from './redact-repeated-keys.ts';

/** What must be known of a call whose attempt failed. */
export type Asking = Pick<CallRecord, 'channel' | 'caller' | 'incoming'>;

/** The upstream answered, and the answer is a refusal. */
export function refusedAttempt(relay: Relay, record: Asking, said: UpstreamError): UpstreamFailure {
  const upstream = withoutKeys(said, record.channel?.keys ?? []);
  const status = mapStatus(record.channel?.statusMapping ?? {}, upstream.status);
  return new UpstreamFailure({
    upstream,
    shown: shownError(relay, record, upstream, status),
    // The mapped status decides; only where nothing was mapped does the upstream's text count too.
    retryable:
      shouldRetry(status, { channelType: record.channel?.type ?? 0 }) ||
      (status === upstream.status && upstream.retryable),
  });
}

/** Our own codes that mean the upstream failed before it gave an answer. */
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
 * Errors of the connection become a 502, silence a 504, nonsense a 502: all of them may be tried
 * elsewhere, as nothing has reached the client. Everything else passes through unchanged.
 */
export function brokenAttempt(relay: Relay, record: Asking, thrown: unknown): unknown {
  if (thrown instanceof UpstreamFailure || thrown instanceof ClientLeft) return thrown;
  if (record.incoming.client.leftAtMs !== undefined) return new ClientLeft();
  if (thrown instanceof TokenRefused) return refusedAttempt(relay, record, thrown.upstream);
  if (thrown instanceof AppError && thrown.code === 'feature_unsupported') return notHere(thrown);
  if (thrown instanceof AppError && !BROKEN.has(thrown.code)) return thrown;
  const error =
    thrown instanceof AppError ? thrown : new AppError('upstream_failed', {}, { cause: thrown });
  const upstream = brokenUpstream(error);
  relay.ctx.log.warn(
    {
      err: error.cause ?? error,
      code: error.code,
      channelId: record.channel?.id,
      request_id: record.incoming.requestId,
    },
    'an upstream attempt broke',
  );
  const shown = {
    ...upstream,
    param: null,
    status: mapStatus(record.channel?.statusMapping ?? {}, upstream.status),
  };
  return new UpstreamFailure({
    upstream,
    shown,
    retryable: true,
    cause: error,
  });
}

/** Nothing was asked of the upstream, and nothing is wrong with it: the next channel may do better. */
function notHere(error: AppError): UpstreamFailure {
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

/** Our own words for an upstream that said nothing: silent, unreachable or broken. */
export function brokenUpstream(error: AppError): UpstreamError {
  return {
    status: error.status,
    message: errorText(error, 'en'),
    type: 'upstream_error',
    code: error.row.wire ?? error.code,
    param: '',
    retryable: true,
    disablesKey: false,
  };
}

/** What the client may see of an upstream's own words; `status` is the one after mapping. */
export function shownError(
  relay: Relay,
  record: Asking,
  upstream: UpstreamError,
  status: number,
): ShownError {
  const { message, type, retryAfterMs } = upstream;
  const code = upstream.code === '' ? null : upstream.code;
  const param = upstream.param === '' ? null : upstream.param;
  if (status === 429) {
    const text = errorText(
      new AppError('upstream_saturated', { group: record.caller.group }),
      'en',
    );
    return { status, message: text, type, code, param, retryAfterMs };
  }
  if (relay.ctx.options().get('global.hide_upstream_error_enabled')) {
    return {
      status,
      message: `Upstream error with status code ${status}`,
      type: 'upstream_error',
      code: 'upstream_error',
      param: null,
      retryAfterMs,
    };
  }
  return { status, message, type, code, param, retryAfterMs };
}
