/**
 * Errors of attempts without an answer: the upstream's error, and what the client may see of it.
 */
import { AppError } from '../../domain/errors/errors.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { affectedBy } from '../routing/outcome-rules.ts';

export interface ShownError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterMs?: number | undefined;
  /** The gateway's own error, if `message` is its text. */
  readonly instead?: AppError;
}

export class UpstreamFailure extends Error {
  /** The upstream's error before status mapping and redaction; decides retry and disabling. */
  readonly upstream: UpstreamError;
  readonly shown: ShownError;
  readonly retryable: boolean;
  /** The attempt was aborted for its slowness. */
  readonly isSlow: boolean;

  constructor(facts: {
    upstream: UpstreamError;
    shown: ShownError;
    retryable: boolean;
    cause?: unknown;
  }) {
    super(facts.upstream.message || facts.shown.message, { cause: facts.cause });
    this.name = 'UpstreamFailure';
    this.upstream = facts.upstream;
    this.shown = facts.shown;
    this.retryable = facts.retryable;
    this.isSlow = facts.cause instanceof AppError && facts.cause.code === 'upstream_slow';
  }

  /**
   * Whether the channel fails for this model regardless of the caller (unreachable, 5xx, silent).
   */
  get hurtsChannel(): boolean {
    return affectedBy(this.upstream) === 'model of the channel';
  }
}

/** The client disconnected before anything was sent, so no response is needed. */
export class ClientLeft extends Error {
  constructor() {
    super('the client left');
    this.name = 'ClientLeft';
  }
}
