/** Whether a channel works, judged by its calls and tests since its last success. */
import { CHANNEL_STATUS } from '../statuses.ts';

/** `off`: not enabled. `unknown`: neither called nor tested. */
export const CHANNEL_HEALTHS = ['working', 'failing', 'unknown', 'off'] as const;
export type ChannelHealth = (typeof CHANNEL_HEALTHS)[number];

/** A channel fails after this many failures in a row; a failed test is enough alone. */
export const FAILURES_IN_A_ROW = 3;

export function channelHealth(facts: {
  readonly status: number;
  readonly isFailing: boolean;
  readonly hasOutcomes: boolean;
}): ChannelHealth {
  if (facts.status !== CHANNEL_STATUS.enabled) return 'off';
  if (facts.isFailing) return 'failing';
  return facts.hasOutcomes ? 'working' : 'unknown';
}
