import { AppError } from './errors.ts';

/** An upstream that answered with an error status; its message is '' if it gave none. */
export function upstreamStatusError({
  status,
  message,
}: {
  readonly status: number;
  readonly message: string;
}): AppError {
  return message === ''
    ? new AppError('upstream_status_only', { status })
    : new AppError('upstream_status', { status, message });
}
