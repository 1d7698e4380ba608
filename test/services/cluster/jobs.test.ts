/** Background jobs as administrators see and start them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { JOB_NAMES } from '../../../src/domain/jobs.ts';
import type { RunnableJob } from '../../../src/jobs/job.ts';
import { createScheduler } from '../../../src/jobs/scheduler.ts';
import { runnableJobs } from '../../../src/jobs/start.ts';
import { intervalOf } from '../../../src/services/site/job-list.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const HOUR_MS = 3_600_000;
const PACE = { checkEveryMs: HOUR_MS, leaseMs: HOUR_MS, abortGraceMs: HOUR_MS };

describe.each(databases)('the list of jobs on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  beforeEach(async () => {
    for (const table of ['job_runs', 'leases']) await site.ctx.db(table).delete();
  });

  const api = () => site.as(OPERATOR).job;
  const find = async (name: string) => (await api().list({})).find((job) => job.name === name);
  const cleanup = (run: RunnableJob['run']) =>
    createScheduler(
      site.ctx,
      runnableJobs(site.ctx).map((job) => (job.name === 'cleanup' ? { ...job, run } : job)),
      PACE,
    );

  it('names every job before any has run', async () => {
    const jobs = await api().list({});
    expect(jobs.map((job) => job.name)).toEqual(JOB_NAMES);
    expect(await find('cleanup')).toMatchObject({
      state: 'waiting',
      interval: 3600,
      last_run: 0,
      outcome: '',
      next_run: null,
    });
  });

  it('starts a job early on request, and shows the result', async () => {
    const scheduler = cleanup(() => Promise.resolve());
    await scheduler.check();
    expect(await api().run({ name: 'cleanup' })).toMatchObject({ state: 'requested' });
    await scheduler.check();
    await scheduler.idle();
    const job = await find('cleanup');
    expect(job).toMatchObject({ state: 'waiting', outcome: 'done', owner: site.ctx.node });
    expect(job?.next_run).toBe((job?.last_run ?? 0) + 3600);
  });

  it('refuses to start a running job, and shows that it runs', async () => {
    let finish = (): void => undefined;
    const scheduler = cleanup(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    await api().run({ name: 'cleanup' });
    await scheduler.check();
    expect(await find('cleanup')).toMatchObject({ state: 'running', outcome: 'running' });
    await expect(api().run({ name: 'cleanup' })).rejects.toMatchObject({ code: 'job_running' });
    finish();
    await scheduler.idle();
    expect(await find('cleanup')).toMatchObject({ state: 'waiting', outcome: 'done' });
  });

  it('shows how far a running job has come, and its last progress afterwards', async () => {
    let finish = (): void => undefined;
    const scheduler = cleanup((_ctx, _signal, report) => {
      report?.(1_000, 5_000);
      return new Promise((resolve) => {
        finish = () => {
          report?.(5_000, 5_000);
          resolve();
        };
      });
    });
    await api().run({ name: 'cleanup' });
    await scheduler.check();
    await expect
      .poll(() => find('cleanup'))
      .toMatchObject({ state: 'running', done: 1_000, total: 5_000 });
    finish();
    await scheduler.idle();
    expect(await find('cleanup')).toMatchObject({ outcome: 'done', done: 5_000, total: 5_000 });
    await cleanup(() => Promise.resolve()).check();
    expect(await find('cleanup')).toMatchObject({ done: 5_000 });
    await api().run({ name: 'cleanup' });
    const next = cleanup(() => Promise.resolve());
    await next.check();
    await next.idle();
    expect(await find('cleanup')).toMatchObject({ outcome: 'done', done: 0, total: 0 });
  });

  it('starts a job once for concurrent requests', async () => {
    let runs = 0;
    const scheduler = cleanup(async () => {
      runs += 1;
    });
    await Promise.all(Array.from({ length: 8 }, () => api().run({ name: 'cleanup' })));
    await scheduler.check();
    await scheduler.idle();
    await scheduler.check();
    await scheduler.idle();
    expect(runs).toBe(1);
  });

  it('uses the interval options, with the environment as the default', async () => {
    const { option } = site.as(OPERATOR);
    const configured = { ...site.ctx, config: { ...site.ctx.config, channelTestMinutes: 7 } };
    const minutes = (ctx = configured) => intervalOf(ctx, 'channel_test');
    expect(minutes(site.ctx)).toBeUndefined();
    expect(minutes()).toBe(7 * 60_000);
    await option.set({ key: 'ChannelTestFrequency', value: 20 });
    expect(minutes()).toBe(20 * 60_000);
    await option.set({ key: 'ChannelTestFrequency', value: 0 });
    expect(minutes()).toBeUndefined();
    expect(intervalOf(site.ctx, 'dashboard')).toBe(5 * 60_000);
  });

  it('reports an unknown job name', async () => {
    await expect(api().run({ name: 'toString' })).rejects.toMatchObject({ code: 'job_missing' });
  });

  it('shows an interrupted run as interrupted, and due immediately', async () => {
    const scheduler = cleanup(() => new Promise(() => undefined));
    await api().run({ name: 'cleanup' });
    await scheduler.check();
    await site.ctx.db('leases').update({ expires_at_ms: 1 });
    const job = await find('cleanup');
    expect(job).toMatchObject({ state: 'waiting', outcome: 'interrupted' });
    expect(job?.next_run).toBe(job?.last_run);
  });
});
