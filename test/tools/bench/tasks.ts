/** Reads the duration of main thread tasks from a browser trace. */

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  /** CPU time of the thread in microseconds. */
  readonly tdur?: number;
}

/**
 * CPU time in milliseconds: the longest task, and all tasks in the `sinceMs` before the page marked
 * `shown`.
 */
export function tasksOf(trace: Buffer, sinceMs: number): { first: number; longest: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mark = traceEvents.find(({ name, ph }) => name === 'shown' && ph !== 'M');
  if (mark === undefined) throw new Error('the trace has no mark');
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) =>
      name === 'ThreadControllerImpl::RunTask' && pid === mark.pid && tid === mark.tid,
  );
  const spent = (task: TraceEvent) => (task.tdur ?? 0) / 1000;
  const early = tasks.filter(({ ts }) => ts > mark.ts - sinceMs * 1000 && ts < mark.ts);
  return {
    first: early.reduce((sum, task) => sum + spent(task), 0),
    longest: Math.max(...tasks.map(spent)),
  };
}
