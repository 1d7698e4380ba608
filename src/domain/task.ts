/** Types shared by all code that handles tasks. */

/** `midjourneys`: image tasks, times in milliseconds; `tasks`: all others, times in seconds. */
export type TaskTable = 'midjourneys' | 'tasks';

/** Columns of a task table and the values to write. */
export type TaskColumns = Readonly<Record<string, string | number>>;

/** Whether a task is still open or how it ended: a failed one is refunded. */
export type TaskOutcome = 'open' | 'succeeded' | 'failed';
