/** A body that arrives piece by piece. */
import type { Awaitable } from '../../domain/awaitable.ts';
import type { TimedWait } from './timed-wait.ts';

/** Bytes in arrival order, or the end of the body. */
export type ArrivedBytes = readonly Buffer[] | 'ended';

/** Source of a body, decoded or not. */
export interface ByteSource {
  /** Woken after every arrival, and to interrupt the reader. */
  readonly wait: TimedWait;
  /**
   * All that has arrived; undefined if nothing has.
   * @throws the connection error, after all bytes received before it were returned.
   */
  arrived(): ArrivedBytes | undefined;
  /** Calls `listener` whenever `wait` is woken. */
  onArrival(listener: () => void): void;
}

/** Result of `nextBatch`: what arrived, or the reason why nothing did. */
export type Batch = ArrivedBytes | 'waited' | 'interrupted';

/** Like `arrived`, waiting at most `waitMs` (0 = no limit) for the first bytes. */
export function nextBatch(source: ByteSource, waitMs: number): Awaitable<Batch> {
  const arrived = source.arrived();
  if (arrived !== undefined) return arrived;
  return source.wait
    .start(waitMs)
    .then((woken) => source.arrived() ?? (woken ? 'interrupted' : 'waited'));
}
