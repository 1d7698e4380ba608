/** Words that all who deal with tasks share. */

/** `midjourneys` are drawings, with times in milliseconds; `tasks` all else, with times in seconds. */
export type TaskTable = 'midjourneys' | 'tasks';

/** Columns of a task's table with what to write to them. */
export type TaskColumns = Readonly<Record<string, string | number>>;

/** Whether a task goes on, and if not, how it ended: a failed one is refunded. */
export type TaskOutcome = 'open' | 'succeeded' | 'failed';
