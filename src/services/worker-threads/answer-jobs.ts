/** The side of `job-thread.ts` that runs in the thread. */
import { parentPort } from 'node:worker_threads';

export interface JobReply<Result> {
  readonly id: number;
  readonly result: Result | Error;
}

/** Answers each job that the thread is given with its result, or with the error it fails with. */
export function answerJobs<Job, Result>(resultOf: (job: Job) => Promise<Result>): void {
  parentPort?.on('message', async ({ id, job }: { readonly id: number; readonly job: Job }) => {
    const result = await resultOf(job).catch((error: Error) => error);
    parentPort?.postMessage({ id, result } satisfies JobReply<Result>);
  });
}
