/** Draining a node from another machine. */
import { describe, expect, it } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { eventually, OPERATOR } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

const SOON_MS = 20_000;

describe('draining a node', async () => {
  const site = await sharedSite();

  const self = async () =>
    (await site.as(OPERATOR).node.list({})).find(({ id }) => id === site.ctx.node);

  it('finishes running calls, accepts no new ones, and reports when none is left', async () => {
    expect(await self()).toMatchObject({ state: 'serving', pid: process.pid });
    site.upstream.script('hold:3');
    const stream = await site.start({ body: STREAM });
    await site.upstream.until((stats) => stats.openCalls === 1);

    await site.as(OPERATOR).node.drain({ id: site.ctx.node });
    await eventually(
      'it has heard',
      async () => (await site.call({ path: '/health/ready', key: '' })).status === 503,
      SOON_MS,
    );
    await eventually('calls are refused', async () => {
      const { status, text } = await site.call({ body: CHAT });
      return status === 503 && text.includes('shutting_down');
    });
    expect((await site.call({ path: '/v1/models' })).status).toBe(200);
    await eventually('it counts', async () => (await self())?.calls === 1, SOON_MS);
    expect(await self()).toMatchObject({ state: 'draining' });

    site.upstream.release();
    expect(await stream.body.text()).toContain('[DONE]');
    await eventually('nothing is left', async () => (await self())?.state === 'drained', SOON_MS);
  });

  it('reports a missing node, and drains all workers of a process together', async () => {
    const { node } = site.as(OPERATOR);
    await expect(node.drain({ id: 'nobody' })).rejects.toMatchObject({ code: 'node_missing' });
    const now = Math.floor(Date.now() / 1000);
    const row = { host: 'twin boot ns', started_at: now, seen_at: now, primary_pid: 7 };
    await site.ctx.db('nodes').insert([
      { ...row, id: 'worker-1' },
      { ...row, id: 'worker-2' },
      { ...row, id: 'other', primary_pid: 8 },
      { ...row, id: 'quiet', primary_pid: 9, seen_at: now - 20 },
    ]);
    const reply = await node.drain({ id: 'worker-1' });
    expect(reply.map(({ id, state }) => [id, state])).toEqual([
      ['worker-1', 'draining'],
      ['worker-2', 'draining'],
    ]);
    const states = Object.fromEntries((await node.list({})).map(({ id, state }) => [id, state]));
    expect(states).toMatchObject({ other: 'serving', quiet: 'silent' });
    expect((await node.list({})).find(({ id }) => id === 'other')?.host).toBe('twin');
  });
});
