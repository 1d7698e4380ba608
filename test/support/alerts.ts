import type { Context } from '../../src/context.ts';
import type { JobName } from '../../src/domain/jobs.ts';
import { JOB_FUNCTIONS } from '../../src/jobs/job-functions.ts';
import { createBackground } from '../../src/services/cluster/background-queue.ts';
import type { LocalSite, TestUser } from './local-site.ts';

/** Runs a job as a process of its own, until its messages are sent. */
export async function runJob(ctx: Context, name: JobName): Promise<void> {
  const background = createBackground(ctx.log);
  await JOB_FUNCTIONS[name]({ ...ctx, background }, new AbortController().signal);
  await background.drain(10_000);
}

/** A new account whose alerts arrive in its inbox, in English. */
export async function inInbox(site: LocalSite, role: 1 | 100 = 1): Promise<TestUser> {
  const user = await site.aUser({ role });
  const setting = JSON.stringify({ notify_type: 'inbox', language: 'en' });
  await site.ctx.db('users').where({ id: user.id }).update({ setting });
  return user;
}
