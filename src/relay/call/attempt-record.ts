/** The record of an attempt, for logs and channel health. */
import type { LoggedAttempt } from '../../domain/logs/short-facts.ts';
import type { StickyAssignment } from './sticky-channel.ts';

export interface AttemptRecord extends LoggedAttempt {
  /** Why affinity chose this channel; absent when it was drawn. */
  readonly affinity?: StickyAssignment['by'];
}

/** How an attempt ended. */
export type AttemptResult = Pick<AttemptRecord, 'status' | 'code' | 'message' | 'reason'>;

/** The attempts of an answer that broke off: the last one has failed. */
export function withBrokenLast(
  attempts: readonly AttemptRecord[],
  { status, code, message, reason }: AttemptResult,
): readonly AttemptRecord[] {
  const last = attempts.at(-1);
  if (last === undefined) return attempts;
  return attempts.with(-1, { ...last, status, code, message, ...(reason && { reason }) });
}
