/** How tasks end: by poll, callback or deadline; charged once, or refunded once. */
import { describe, expect, it } from 'vitest';
import { LOG_TYPE } from '../../../src/domain/logs/log-types.ts';
import { midjourney } from '../../../src/providers/tasks/midjourney.ts';
import { pollTasks } from '../../../src/relay/tasks/poll-tasks.ts';
import { applyReport } from '../../../src/relay/tasks/report-task.ts';
import { unfinishedTasksOfChannel } from '../../../src/store/tables/task-rows.ts';
import { aBudget, windowsOf } from '../../support/budgets.ts';
import { databases } from '../../support/databases.ts';
import { eventually, OPERATOR, type SiteToken, type SiteUser } from '../../support/site.ts';
import { rawUpstream, whole } from '../raw-upstream.ts';
import { answered } from './fake-task-upstream.ts';
import { createTaskSite, IMAGINE_UNITS, type Row } from './task-site.ts';

const HOUR_MS = 3_600_000;
const LIMIT = 300_000;

describe.each(databases)('tasks on $kind', async ({ kind }) => {
  const taskSite = await createTaskSite({
    database: kind,
    options: { MjNotifyEnabled: true },
    config: { egressAllow: '127.0.0.1' },
  });

  interface Owner {
    readonly user: SiteUser;
    readonly token: SiteToken;
  }

  async function anOwner(): Promise<Owner> {
    const user = await taskSite.site.addUser({ quota: LIMIT });
    return { user, token: await taskSite.site.addToken({ owner: user, remain_quota: LIMIT }) };
  }

  /** The final cost of the task for its owner on every account, in the ledger and in the log. */
  async function costOf({ user, token }: Owner) {
    const { site } = taskSite;
    const { quota, used_quota, held } = await site.balance(user.id);
    const ofToken = await site.tokenBalance(token.id);
    expect([quota, held, ofToken.held]).toEqual([LIMIT - used_quota, 0, 0]);
    expect(ofToken).toEqual({ remain_quota: quota, held: 0, used_quota });
    expect((await site.verify()).differences).toEqual([]);
    const { log, data } = site.as(user.actor);
    const { totals } = await data.overviewOwn({});
    const perModel = (await data.listOwn({})).reduce((sum, use) => sum + use.quota, 0);
    expect([(await log.statOwn({})).quota, totals.quota, perModel]).toEqual(
      Array.from({ length: 3 }, () => used_quota),
    );
    const entries = await site.chargesOf(user.id);
    const lines = site.ctx.db('logs').where({ user_id: user.id, type: LOG_TYPE.refund });
    const rows: Row[] = await lines.where('content', 'like', '%refunded%');
    const keys = entries.map(({ key }) => key.replace(/:[^:]+$/, ''));
    return { units: used_quota, keys, refundLogs: rows.map(({ quota }) => Number(quota)) };
  }

  const PAID = { units: IMAGINE_UNITS, keys: ['call'], refundLogs: [] };
  const REFUNDED = { units: 0, keys: ['call', 'refund:task'], refundLogs: [IMAGINE_UNITS] };

  /** An image task, by its id for the client and its id at the upstream. */
  async function drawingOf(owner: Owner) {
    const id = await taskSite.imagine('a lighthouse', owner.token);
    return { id, upstreamId: taskSite.upstream.ids.at(-1) ?? '' };
  }

  it('that succeed stay charged', async () => {
    const owner = await anOwner();
    const { id, upstreamId } = await drawingOf(owner);
    taskSite.upstream.setTask(upstreamId, { status: 'IN_PROGRESS', progress: '60%' });
    await taskSite.poll();
    expect(await taskSite.drawing(id)).toMatchObject({ status: 'IN_PROGRESS', progress: '60%' });
    taskSite.upstream.setTask(upstreamId, {
      status: 'SUCCESS',
      progress: '100%',
      finishTime: 1_700,
    });
    await taskSite.poll();
    expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUCCESS', progress: '100%' });
    taskSite.upstream.setTask(upstreamId, { status: 'FAILURE', failReason: 'too late to fail' });
    await taskSite.poll();
    expect(await taskSite.upstream.notify(upstreamId, { status: 'FAILURE' })).toBe(200);
    expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUCCESS', fail_reason: '' });
    expect(await costOf(owner)).toEqual(PAID);
  });

  it('that fail later are refunded to user, token and channel, with a log entry', async () => {
    const owner = await anOwner();
    const { log } = taskSite.site.as(owner.user.actor);
    const used = await taskSite.site.channelUsed(taskSite.channel.id);
    const { ctx } = taskSite.site;
    const ofUser = { subject: 'user', subject_id: String(owner.user.id), limit_amount: LIMIT };
    const units = await aBudget(ctx, ofUser);
    const calls = await aBudget(ctx, { ...ofUser, measure: 'calls' });
    const counted = async () => [
      ...(await windowsOf(ctx, units)),
      ...(await windowsOf(ctx, calls)),
    ];
    const { id, upstreamId } = await drawingOf(owner);
    expect(await counted()).toEqual([
      { spent: IMAGINE_UNITS, held: 0 },
      { spent: 1, held: 0 },
    ]);
    taskSite.upstream.setTask(upstreamId, { status: 'IN_PROGRESS', progress: '46%' });
    await taskSite.poll();
    const failed = { status: 'FAILURE', progress: '100%', failReason: 'out of paint' };
    taskSite.upstream.setTask(upstreamId, failed);
    await taskSite.poll();
    await taskSite.poll();
    // How far the task came, not what the upstream reports of every task that ended.
    expect(await taskSite.drawing(id)).toMatchObject({
      ...{ status: 'FAILURE', progress: '46%', fail_reason: 'out of paint' },
    });
    expect(await costOf(owner)).toEqual(REFUNDED);
    expect(await taskSite.site.channelUsed(taskSite.channel.id)).toBe(used);
    expect(await counted()).toEqual(Array.from({ length: 2 }, () => ({ spent: 0, held: 0 })));
    const [refund, charge] = (await log.listOwn({})).items;
    expect([charge?.type, refund?.type]).toEqual([LOG_TYPE.consume, LOG_TYPE.refund]);
    for (const { model_name, token_name, group } of charge === undefined ? [] : [charge]) {
      expect(refund).toMatchObject({ model_name, token_name, group });
      const sums = await log.statOwn({ model_name, token_name, group, by: 'model' });
      expect(sums).toMatchObject({ quota: 0, count: 1, groups: [{ quota: 0, count: 1 }] });
    }
  });

  it('count in the budgets of the channel that takes them, and go to another if it is full', async () => {
    const { site, upstream, channel } = taskSite;
    const owner = await anOwner();
    const preferred = await taskSite.addDrawingChannel(upstream, { priority: 9 });
    const budgetOf = ({ id }: { readonly id: number }, limit_amount: number) =>
      aBudget(site.ctx, { subject: 'channel', subject_id: String(id), limit_amount });
    const budget = await budgetOf(preferred, IMAGINE_UNITS);
    const first = await drawingOf(owner);
    const second = await drawingOf(owner);
    const takenBy = async ({ id }: { readonly id: string }) =>
      Number((await taskSite.drawing(id)).channel_id);
    expect([await takenBy(first), await takenBy(second)]).toEqual([preferred.id, channel.id]);
    expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: IMAGINE_UNITS, held: 0 }]);

    const other = await budgetOf(channel, 1);
    const submitted = upstream.ids.length;
    const refused = await taskSite.post('/mj/submit/imagine', { prompt: 'a sea' }, owner.token);
    expect([refused.status, upstream.ids.length]).toEqual([429, submitted]);
    expect(await windowsOf(site.ctx, other)).toMatchObject([{ spent: 0, held: 0 }]);

    upstream.setTask(first.upstreamId, { status: 'FAILURE', failReason: 'no' });
    await taskSite.poll();
    expect(await windowsOf(site.ctx, budget)).toEqual([{ spent: 0, held: 0 }]);
    expect(await costOf(owner)).toMatchObject({ units: IMAGINE_UNITS });
    const operator = site.as(OPERATOR);
    for (const id of [budget, other]) await operator.budget.remove({ id });
    await operator.channel.remove({ id: preferred.id });
  });

  it('are refunded once, however many polls and callbacks report the failure', async () => {
    const owner = await anOwner();
    const { upstream } = taskSite;
    const first = await drawingOf(owner);
    const address = String(upstream.lastSubmit().notifyHook);
    const second = await drawingOf(owner);
    for (const { upstreamId } of [first, second])
      upstream.setTask(upstreamId, { status: 'FAILURE', failReason: 'no' });
    const tellers = [first, second].flatMap(({ upstreamId }) =>
      Array.from({ length: 4 }, () => upstream.notify(upstreamId, { status: 'FAILURE' }, address)),
    );
    await Promise.all([taskSite.poll(), ...tellers, taskSite.poll(), taskSite.poll()]);
    expect(await costOf(owner)).toEqual({
      units: 0,
      keys: ['call', 'call', 'refund:task', 'refund:task'],
      refundLogs: [IMAGINE_UNITS, IMAGINE_UNITS],
    });
  });

  it('end in one state only when success and failure are reported together', async () => {
    const owner = await anOwner();
    const { upstream } = taskSite;
    const { id, upstreamId } = await drawingOf(owner);
    const address = String(upstream.lastSubmit().notifyHook);
    await Promise.all(
      ['SUCCESS', 'FAILURE', 'SUCCESS', 'FAILURE'].map((status) =>
        upstream.notify(upstreamId, { status }, address),
      ),
    );
    const { status } = await taskSite.drawing(id);
    expect(await costOf(owner)).toEqual(status === 'SUCCESS' ? PAID : REFUNDED);
  });

  it('stay unchanged once they have ended, also for stale readers', async () => {
    const { ctx } = taskSite.site;
    const share = { table: 'midjourneys', platform: '' } as const;
    for (const outcomes of [
      ['succeeded', 'failed'],
      ['failed', 'succeeded'],
    ] as const) {
      const owner = await anOwner();
      const { id, upstreamId } = await drawingOf(owner);
      const ids = [upstreamId];
      const [task] = await unfinishedTasksOfChannel(ctx.db, share, taskSite.channel.id, ids);
      if (task === undefined) throw new Error('no such task');
      const tell = (outcome: 'succeeded' | 'failed') => {
        const status = outcome === 'failed' ? 'FAILURE' : 'SUCCESS';
        return applyReport(ctx, midjourney, task, { upstreamId, outcome, columns: { status } });
      };
      const [first, second] = outcomes;
      expect(await tell(first)).toBe(true);
      const later = await Promise.all([tell(second), tell(first), tell(second)]);
      expect(later).toEqual([false, false, false]);
      const { status } = await taskSite.drawing(id);
      expect(status).toBe(first === 'failed' ? 'FAILURE' : 'SUCCESS');
      expect(await costOf(owner)).toEqual(first === 'failed' ? REFUNDED : PAID);
      const many = await drawingOf(owner);
      const [open] = await unfinishedTasksOfChannel(ctx.db, share, taskSite.channel.id, [
        many.upstreamId,
      ]);
      const news = { upstreamId: many.upstreamId, columns: { status: 'FAILURE' } };
      const received = await Promise.all(
        Array.from({ length: 6 }, () =>
          open ? applyReport(ctx, midjourney, open, { ...news, outcome: 'failed' }) : false,
        ),
      );
      expect(received.filter(Boolean)).toHaveLength(1);
    }
  });

  /** Moves the task's submission this much into the past. */
  const age = (id: string, ms: number) =>
    taskSite.site.ctx.db('midjourneys').where({ mj_id: id }).decrement('submit_time', ms);

  it('that were given up are not charged by a late submission', async () => {
    const { site } = taskSite;
    const owner = await anOwner();
    const request_id = `late-${kind}`;
    const row = { user_id: owner.user.id, action: 'IMAGINE', status: 'NOT_START', progress: '0%' };
    await site.ctx.db('midjourneys').insert({ ...row, mj_id: request_id, request_id });
    await taskSite.poll();
    const task = await taskSite.drawing(request_id);
    expect(task.status).toBe('FAILURE');
    const outcome = await site.ctx.ledger.close({
      ...{ kind: 'close', requestId: request_id, logs: [] },
      charge: {
        ...{ key: `call:${request_id}`, cause: 'charge', userId: owner.user.id },
        ...{ userUnits: -IMAGINE_UNITS, createdAtSec: 1 },
      },
      task: {
        ...{ table: 'midjourneys', id: Number(task.id) },
        columns: { upstream_id: 'u', status: 'SUBMITTED', quota: IMAGINE_UNITS },
      },
    });
    expect(outcome).toBe('repeat');
    expect(await taskSite.drawing(request_id)).toMatchObject({ status: 'FAILURE' });
    expect(await costOf(owner)).toEqual({ units: 0, keys: [], refundLogs: [] });
  });

  it('are charged once each when many are submitted together, never beyond the balance', async () => {
    const { site } = taskSite;
    const user = await site.addUser({ quota: 3 * IMAGINE_UNITS });
    const token = await site.addToken({ owner: user });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => taskSite.post('/mj/submit/imagine', { prompt: 'x' }, token)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await site.balance(user.id)).toMatchObject({ quota: 0, held: 0 });
    expect((await site.verify()).ok).toBe(true);
  });

  // No SQL of an engine decides these.
  if (kind !== 'sqlite') return;

  it('accept callbacks of their own channel only, with its secret', async () => {
    const owner = await anOwner();
    const { site, upstream, addDrawingChannel } = taskSite;
    const { id, upstreamId } = await drawingOf(owner);
    const address = String(upstream.lastSubmit().notifyHook);
    const forged = address.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(await upstream.notify(upstreamId, { status: 'FAILURE' }, forged)).toBe(403);
    const other = await addDrawingChannel(upstream, { priority: 9 });
    await drawingOf(await anOwner());
    // The other channel's secret is not valid for this channel's tasks.
    expect(await upstream.notify(upstreamId, { status: 'FAILURE' })).toBe(200);
    expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUBMITTED' });
    expect(await upstream.notify('unknown', { status: 'FAILURE' }, address)).toBe(200);
    const progress = { status: 'IN_PROGRESS', progress: '10%' };
    expect(await upstream.notify(upstreamId, progress, address)).toBe(200);
    expect(await taskSite.drawing(id)).toMatchObject(progress);
    await site.as(OPERATOR).channel.remove({ id: other.id });
  });

  it('are reported to the address set by their owner, under their own id', async () => {
    const { upstream } = taskSite;
    const client = await rawUpstream();
    const body = { prompt: 'x', notifyHook: `${client.url}/hook` };
    const { json } = await taskSite.post('/mj/submit/imagine', body);
    await upstream.notify(upstream.ids.at(-1) ?? '', { status: 'IN_PROGRESS', progress: '5%' });
    await eventually('the owner is told', () => client.requests.length > 0);
    expect(JSON.parse(client.requests[0]?.body ?? '')).toMatchObject({
      ...{ id: json.result, status: 'IN_PROGRESS', progress: '5%' },
    });
    await client.close();
  });

  it('of an exhausted token can be read, and re-enable the token when they fail', async () => {
    const { site, upstream } = taskSite;
    const token = await site.addToken({ remain_quota: IMAGINE_UNITS });
    const id = await taskSite.imagine('x', token);
    const again = await taskSite.post('/mj/submit/imagine', { prompt: 'x' }, token);
    expect(again.status).toBe(402);
    expect((await taskSite.get(`/mj/task/${id}/fetch`, token)).json.id).toBe(id);
    upstream.setTask(upstream.ids.at(-1) ?? '', { status: 'FAILURE' });
    await taskSite.poll();
    const usable = await eventually('the key is back', async () => {
      const answer = await taskSite.post('/mj/submit/imagine', { prompt: 'x' }, token);
      return answer.status === 200 ? answer : undefined;
    });
    expect(usable.json.code).toBe(1);
  });

  it('wait while their upstream is silent or failing, and fail at their deadline', async () => {
    const owner = await anOwner();
    const { id } = await drawingOf(owner);
    for (const trouble of [answered(500, {}), whole('<html>'), whole([])]) {
      taskSite.upstream.setTaskAnswer(trouble);
      await taskSite.poll();
      expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUBMITTED' });
    }
    await age(id, HOUR_MS + 1000);
    await taskSite.poll();
    taskSite.upstream.setTaskAnswer(undefined);
    expect(await taskSite.drawing(id)).toMatchObject({
      ...{ status: 'FAILURE', fail_reason: '{"event":"task_unfinished","params":{"count":60}}' },
    });
    expect(await costOf(owner)).toEqual(REFUNDED);
  });

  it('that end at the last moment are not failed by the deadline', async () => {
    const owner = await anOwner();
    const { id, upstreamId } = await drawingOf(owner);
    await age(id, 2 * HOUR_MS);
    taskSite.upstream.setTask(upstreamId, { status: 'SUCCESS' });
    await taskSite.poll();
    expect(await costOf(owner)).toEqual(PAID);
  });

  it('of a deleted channel fail with a refund; those of a disabled one are still polled', async () => {
    const { site, upstream, addDrawingChannel } = taskSite;
    const operator = site.as(OPERATOR);
    const channel = await addDrawingChannel(upstream, { priority: 9 });
    const owner = await anOwner();
    const off = await drawingOf(owner);
    await operator.channel.setStatus({ id: channel.id, status: 2 });
    upstream.setTask(off.upstreamId, { status: 'SUCCESS' });
    await taskSite.poll();
    expect(await taskSite.drawing(off.id)).toMatchObject({ status: 'SUCCESS' });
    await operator.channel.setStatus({ id: channel.id, status: 1 });
    const other = await anOwner();
    const gone = await drawingOf(other);
    await operator.channel.remove({ id: channel.id });
    await taskSite.poll();
    expect(await taskSite.drawing(gone.id)).toMatchObject({
      fail_reason: '{"event":"task_without_channel"}',
    });
    expect(await costOf(owner)).toEqual(PAID);
    const { units, keys } = await costOf(other);
    expect({ units, keys }).toEqual({ units: 0, keys: REFUNDED.keys });
  });

  it('whose process died during submission fail without a charge', async () => {
    const { site } = taskSite;
    const now = Date.now();
    const row = { user_id: site.user.id, action: 'IMAGINE', status: 'NOT_START', progress: '0%' };
    await site.ctx.db('midjourneys').insert([
      { ...row, mj_id: 'lost', request_id: 'r-lost', submit_time: now - 11 * 60_000 },
      { ...row, mj_id: 'fresh', request_id: 'r-fresh', submit_time: now },
    ]);
    const before = await site.balance(site.user.id);
    await taskSite.poll();
    expect(await taskSite.drawing('lost')).toMatchObject({ status: 'FAILURE', progress: '0%' });
    expect(await taskSite.drawing('fresh')).toMatchObject({ status: 'NOT_START' });
    expect(await site.balance(site.user.id)).toEqual(before);
    await site.ctx.db('midjourneys').where({ mj_id: 'fresh' }).delete();
  });

  it('of an older installation are polled under their id, and refunded to their owner', async () => {
    const { site, upstream } = taskSite;
    const user = await site.addUser({ quota: 0 });
    await site.ctx.db('midjourneys').insert({
      ...{ user_id: user.id, channel_id: taskSite.channel.id, mj_id: 'old-1', quota: 700 },
      ...{ action: 'IMAGINE', status: 'IN_PROGRESS', progress: '1%', submit_time: Date.now() },
    });
    upstream.setTask('old-1', { status: 'FAILURE' });
    await taskSite.poll();
    expect(await site.balance(user.id)).toMatchObject({ quota: 700 });
  });

  it('of many owners are polled together, one channel at a time', async () => {
    const { upstream } = taskSite;
    const owner = await anOwner();
    const drawings = await Promise.all(Array.from({ length: 4 }, () => drawingOf(owner)));
    const before = upstream.paths().length;
    for (const id of upstream.ids) upstream.setTask(id, { status: 'SUCCESS' });
    await taskSite.poll();
    const requests = upstream.paths().slice(before);
    expect(requests.filter((path) => path === '/mj/task/list-by-condition')).toHaveLength(1);
    for (const { id } of drawings)
      expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUCCESS' });
    const again = upstream.paths().length;
    await taskSite.poll();
    expect(upstream.paths()).toHaveLength(again);
  });

  it('of songs are refunded when they fail', async () => {
    const { upstream } = taskSite;
    const owner = await anOwner();
    const { json } = await taskSite.post('/suno/submit/music', { prompt: 'la' }, owner.token);
    upstream.setTask(upstream.ids.at(-1) ?? '', {
      status: 'IN_PROGRESS',
      fail_reason: 'out of tune',
    });
    await Promise.all([taskSite.poll(), taskSite.poll()]);
    expect(await taskSite.song(json.data)).toMatchObject({
      ...{ status: 'FAILURE', progress: '0%', fail_reason: 'out of tune' },
    });
    expect(await costOf(owner)).toEqual(REFUNDED);
  });

  it('are polled by a job, which a process may leave to others', async () => {
    const { site, upstream } = taskSite;
    const { job } = site.as(OPERATOR);
    const isPoll = ({ name }: { readonly name: string }) => name === 'task_poll';
    expect((await job.list({})).find(isPoll)).toMatchObject({ state: 'off', interval: null });
    const { id, upstreamId } = await drawingOf(await anOwner());
    upstream.setTask(upstreamId, { status: 'SUCCESS' });
    await job.run({ name: 'task_poll' });
    await eventually('the job has run', async () => {
      const { status } = await taskSite.drawing(id);
      return status === 'SUCCESS';
    });
  });

  it('are not changed by a cancelled poll', async () => {
    const owner = await anOwner();
    const { id, upstreamId } = await drawingOf(owner);
    taskSite.upstream.setTask(upstreamId, { status: 'FAILURE' });
    const ended = AbortSignal.abort(new Error('stopping'));
    await expect(pollTasks(taskSite.site.ctx, ended)).rejects.toThrow('stopping');
    expect(await taskSite.drawing(id)).toMatchObject({ status: 'SUBMITTED' });
    await taskSite.poll();
    expect(await costOf(owner)).toEqual(REFUNDED);
  });
});
