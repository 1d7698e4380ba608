/**
 * The end of a call; settlement, log rows and `gateway explain` are derived from it and its call
 * alone.
 */
import type { Usage } from '../../domain/pricing/usage.ts';
import type { Admitted, Routed } from './admitted.ts';

/** How a call ended, for billing (docs/billing.md). */
export type Ending = 'answered' | 'upstream_broke' | 'client_left' | 'failed';

/** What the answer is billed by. */
export interface Billed {
  readonly usage: Usage | undefined;
  readonly usageSource: 'upstream' | 'estimated' | '';
  readonly calls: number;
  /** What the upstream reported and cannot have been used. */
  readonly disbelieved?: Usage | undefined;
  /** Images or searches that the upstream delivered, if it reported the number. */
  readonly units: number | undefined;
  /** The text of the answer, if it is logged. */
  readonly answerText: string;
}

/** A call that has ended. A failed one may have no channel. */
export interface Ended extends Billed {
  readonly call: Admitted;
  readonly ending: Ending;
  /** Epoch ms of the first content; 0 when none arrived. */
  readonly firstContentAtMs: number;
  /**
   * The upstream continues without a connection; the poll that sees it finish settles the call
   * (relay/features/responses/background-responses.ts).
   */
  readonly inBackground: boolean;
}

/** A call whose upstream answered, wholly or in part. */
export interface Answered extends Ended {
  readonly call: Routed;
}

type End = Pick<Ended, 'ending'> & Partial<Omit<Ended, 'call'>>;

/** The end of a call; without usage it costs nothing. */
export function ended(call: Admitted, end: End): Ended {
  return {
    call,
    ending: end.ending,
    firstContentAtMs: end.firstContentAtMs ?? 0,
    inBackground: end.inBackground ?? false,
    usage: end.usage,
    usageSource: end.usageSource ?? '',
    calls: end.calls ?? call.calls,
    disbelieved: end.disbelieved,
    units: end.units,
    answerText: end.answerText ?? '',
  } satisfies Record<keyof Ended, unknown>;
}

/** The end of a call with what it is billed by. */
export function answered(
  call: Routed,
  billed: Billed,
  { ending, firstContentAtMs }: Pick<Ended, 'ending' | 'firstContentAtMs'>,
): Answered {
  // Every field by name: new fields beside a spread cost microseconds (docs/performance.md).
  return {
    call,
    ending,
    firstContentAtMs,
    inBackground: false,
    usage: billed.usage,
    usageSource: billed.usageSource,
    calls: billed.calls,
    disbelieved: billed.disbelieved,
    units: billed.units,
    answerText: billed.answerText,
  } satisfies Record<keyof Answered, unknown>;
}

/** The end, marked as continued by the upstream without a connection. */
export function inBackground(end: Ended): Ended {
  return { ...end, inBackground: true };
}
