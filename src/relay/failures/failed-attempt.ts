/** An attempt that brought no answer: what the upstream said, and what the client may see of it. */
import { AppError } from '../../domain/errors/errors.ts';
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import { affectedBy } from './outcome-rules.ts';

export interface ShownError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterMs?: number | undefined;
}

export class UpstreamFailure extends Error {
  /** As read from the upstream, before status mapping and hiding: decides retry and disabling. */
  readonly upstream: UpstreamError;
  readonly shown: ShownError;
  readonly retryable: boolean;
  /** It was given up for its slowness. */
  readonly isSlow: boolean;

  constructor(facts: {
    upstream: UpstreamError;
    shown: ShownError;
    retryable: boolean;
    cause?: unknown;
  }) {
    super(facts.upstream.message, { cause: facts.cause });
    this.name = 'UpstreamFailure';
    this.upstream = facts.upstream;
    this.shown = facts.shown;
    this.retryable = facts.retryable;
    this.isSlow = facts.cause instanceof AppError && facts.cause.code === 'upstream_slow';
  }

  /** The channel fails for this model (unreachable, 5xx, silent), whoever asks. */
  get hurtsChannel(): boolean {
    return affectedBy(this.upstream) === 'model of the channel';
  }
}

/** The client went away before anything was sent: nobody is left to tell. */
export class ClientLeft extends Error {
  constructor() {
    super('the client left');
    this.name = 'ClientLeft';
  }
}
