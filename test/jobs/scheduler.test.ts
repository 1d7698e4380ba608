import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { RunnableJob } from '../../src/jobs/job.ts';
import { LeaseLost } from '../../src/services/cluster/lease-work.ts';
import { databases } from '../support/databases.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { eventually } from '../support/site.ts';
import { aNode, closeNodes, leaveTrace, letLeaseRunOut, letPass, runOf, traces } from './nodes.ts';

const HOUR_MS = 3_600_000;
const PACE = { checkEveryMs: HOUR_MS, leaseMs: HOUR_MS, abortGraceMs: HOUR_MS };

type Work = (ctx: Context, signal: AbortSignal) => Promise<void>;

function job(run: Work, fields: Partial<RunnableJob> = {}): RunnableJob {
  return { name: 'count', timeoutMs: HOUR_MS, everyMs: () => HOUR_MS, run, ...fields };
}

/** A promise with its resolve and reject functions. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Work that continues until its signal is aborted. */
const untilAborted: Work = async (_ctx, signal) => {
  await once(signal, 'abort');
  throw signal.reason;
};

describe.each(databases)('jobs of several nodes on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  beforeEach(async () => {
    for (const table of ['job_runs', 'leases', 'options']) await site.ctx.db(table).delete();
  });
  afterAll(() => closeNodes());

  const threeNodes = (one: RunnableJob) =>
    Promise.all(['a', 'b', 'c'].map((name) => aNode(site, name, [one], PACE)));
  const twoNodes = async (first: RunnableJob, second: RunnableJob, pace = PACE) => {
    const a = await aNode(site, 'a', [first], pace);
    const b = await aNode(site, 'b', [second], pace);
    await a.scheduler.check();
    await letPass(site, HOUR_MS);
    return { a, b };
  };

  it('run once per interval, however many nodes check and however often', async () => {
    const nodes = await threeNodes(job((ctx) => leaveTrace(ctx, ctx.node)));
    await Promise.all(nodes.map(({ scheduler }) => scheduler.check()));
    for (let hour = 0; hour < 6; hour += 1) {
      await letPass(site, HOUR_MS);
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(nodes.map(({ scheduler }) => scheduler.check()));
        await Promise.all(nodes.map(({ scheduler }) => scheduler.idle()));
      }
      expect(await traces(site)).toHaveLength(hour + 1);
    }
  });

  it('do not run again because a node restarted', async () => {
    const work = job((ctx) => leaveTrace(ctx, ctx.node));
    const { a } = await twoNodes(work, work);
    await a.scheduler.check();
    await a.scheduler.idle();
    await a.scheduler.stop();
    const again = await aNode(site, 'a2', [work], PACE);
    await again.scheduler.check();
    await again.scheduler.idle();
    expect(await traces(site)).toEqual(['a']);
  });

  it('do not run while disabled', async () => {
    let everyMs: number | undefined;
    const work = job((ctx) => leaveTrace(ctx, ctx.node), { everyMs: () => everyMs });
    const { a } = await twoNodes(work, work);
    await a.scheduler.check();
    await a.scheduler.idle();
    expect(await traces(site)).toEqual([]);
    everyMs = HOUR_MS;
    await a.scheduler.check();
    await a.scheduler.idle();
    expect(await traces(site)).toEqual(['a']);
  });

  it('are taken over from a killed node when its lease expires', async () => {
    const begun = gate();
    const hanging = job(async () => {
      begun.open();
      await new Promise(() => undefined);
    });
    const { a, b } = await twoNodes(
      hanging,
      job((ctx) => leaveTrace(ctx, ctx.node)),
    );
    await a.scheduler.check();
    await begun.opened;
    await a.kill();
    await b.scheduler.check();
    await b.scheduler.idle();
    expect(await traces(site)).toEqual([]);
    await letLeaseRunOut(site, 'count');
    await b.scheduler.check();
    await b.scheduler.idle();
    expect(await traces(site)).toEqual(['b']);
    expect(await runOf(site, 'count')).toMatchObject({ outcome: 'done', holder: 'b', tries: 0 });
  });

  it('reject writes and completion by a stalled node after a takeover', async () => {
    const begun = gate();
    const goOn = gate();
    let outcome: unknown;
    const stalling = job(async (ctx) => {
      await leaveTrace(ctx, 'before');
      begun.open();
      await goOn.opened;
      outcome = await leaveTrace(ctx, 'after').catch((error: unknown) => error);
    });
    const held = gate();
    const { a, b } = await twoNodes(
      stalling,
      job(() => held.opened),
    );
    await a.scheduler.check();
    await begun.opened;
    await letLeaseRunOut(site, 'count');
    await b.scheduler.check();
    goOn.open();
    await a.scheduler.idle();
    expect(outcome).toBeInstanceOf(LeaseLost);
    expect(await traces(site)).toEqual(['before']);
    expect(await runOf(site, 'count')).toMatchObject({ outcome: 'running', holder: 'b' });
    held.open();
    await b.scheduler.idle();
    expect(await runOf(site, 'count')).toMatchObject({ outcome: 'done', holder: 'b' });
  });

  it('are cancelled when their lease is lost', async () => {
    let reason: unknown;
    const waiting = job(async (_ctx, signal) => {
      await once(signal, 'abort');
      reason = signal.reason;
    });
    const { a } = await twoNodes(waiting, waiting, { ...PACE, leaseMs: 150 });
    await a.scheduler.check();
    // What another holder does first.
    await site.ctx.db('leases').where({ name: 'count' }).increment('fence', 1);
    await a.scheduler.idle();
    expect(reason).toBeInstanceOf(LeaseLost);
  });

  it('keep their lease while they run', async () => {
    const enough = gate();
    const { a, b } = await twoNodes(
      job(() => enough.opened),
      job((ctx) => leaveTrace(ctx, ctx.node)),
      { ...PACE, leaseMs: 900 },
    );
    await a.scheduler.check();
    const endOf = async () => Number((await site.ctx.db('leases').first())?.expires_at_ms);
    const firstEnd = await endOf();
    await eventually('the lease outlives its first end', async () => {
      await b.scheduler.check();
      return (await endOf()) > firstEnd + 900;
    });
    enough.open();
    await a.scheduler.idle();
    await b.scheduler.idle();
    expect(await traces(site)).toEqual([]);
  });

  it('end promptly when a node stops and move to the next node at once', async () => {
    const { a, b } = await twoNodes(
      job(untilAborted),
      job((ctx) => leaveTrace(ctx, ctx.node)),
    );
    await a.scheduler.check();
    await a.scheduler.stop();
    expect(await runOf(site, 'count')).toMatchObject({ outcome: 'interrupted', isHeld: false });
    await b.scheduler.check();
    await b.scheduler.idle();
    expect(await traces(site)).toEqual(['b']);
  });

  it('do not block a stop when they ignore cancellation', async () => {
    const impatient = { ...PACE, abortGraceMs: 50 };
    const deaf = job(() => new Promise(() => undefined));
    const { a } = await twoNodes(deaf, deaf, impatient);
    await a.scheduler.check();
    await a.scheduler.stop();
    expect(await runOf(site, 'count')).toMatchObject({ outcome: 'interrupted', isHeld: false });
  });

  it('end after the maximum run time and wait for the next interval', async () => {
    const slow = job(untilAborted, { timeoutMs: 50 });
    const { a } = await twoNodes(slow, slow);
    await a.scheduler.check();
    await a.scheduler.idle();
    const run = await runOf(site, 'count');
    expect(run).toMatchObject({ outcome: 'timed_out', isHeld: false });
    expect(JSON.parse(run.error)).toEqual({ event: 'job_timed_out', params: { count: 1 } });
    await a.scheduler.check();
    expect((await runOf(site, 'count')).startedAtMs).toBe(run.startedAtMs);
  });

  it('record a failure without its secret details, and other jobs continue', async () => {
    const failing = job(() => Promise.reject(new Error('password=hunter2')));
    const fine = job((ctx) => leaveTrace(ctx, ctx.node), { name: 'fine' });
    const node = await aNode(site, 'a', [failing, fine], PACE);
    await node.scheduler.check();
    await letPass(site, HOUR_MS);
    await node.scheduler.check();
    await node.scheduler.idle();
    const run = await runOf(site, 'count');
    expect(run.outcome).toBe('failed');
    expect(run.error).not.toBe('');
    expect(run.error).not.toContain('hunter2');
    expect(await traces(site)).toEqual(['a']);
  });

  it('run three times at most when they crash the process, then wait for the next interval', async () => {
    const begun: string[] = [];
    const deadly = job((ctx) => {
      begun.push(ctx.node);
      return new Promise(() => undefined);
    });
    const first = await aNode(site, 'n0', [deadly], PACE);
    await first.scheduler.check();
    await letPass(site, HOUR_MS);
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) {
      const node = await aNode(site, name, [deadly], PACE);
      await node.scheduler.check();
      await node.kill();
      await letLeaseRunOut(site, 'count');
    }
    expect(begun).toEqual(['n1', 'n2', 'n3']);
    await letPass(site, HOUR_MS);
    await first.scheduler.check();
    expect(begun).toEqual(['n1', 'n2', 'n3', 'n0']);
  });
});
