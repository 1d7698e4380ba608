import { spawnSync } from 'node:child_process';
import { execPath } from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { loggerTo } from '../../../src/log.ts';
import { createLedgerWriter } from '../../../src/services/billing/ledger-writer.ts';
import {
  joinNodes,
  livingNodes,
  type NodeWatch,
  releaseOrphanedHolds,
} from '../../../src/services/cluster/nodes.ts';
import { inTransaction } from '../../../src/store/connection/transaction.ts';
import { ensureLease, takeLease } from '../../../src/store/tables/leases-table.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import {
  type Account,
  anAccount,
  close,
  hold,
  userBalance,
} from '../../system/ledger/operations.ts';

describe.each(databases)('processes sharing one $kind database', async ({ kind }) => {
  let account: Account;
  const watches: NodeWatch[] = [];
  const site = await sharedLocalSite(kind);
  beforeEach(async () => {
    account = await anAccount(site, 1_000);
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.stop();
    await site.ctx.db('nodes').delete();
    await releaseOrphanedHolds(site.ctx);
  });

  /** The same database from another process. */
  const as = (node: string): Context => ({ ...site.ctx, node });
  const join = async (node: string): Promise<NodeWatch> => {
    const watch = await joinNodes(as(node));
    watches.push(watch);
    return watch;
  };
  const holdBy = async (node: string, units = 10, fields = {}) => {
    const one = hold(account, units, { node, ...fields });
    expect(await site.ctx.ledger.hold(one)).toBe('done');
    return one;
  };
  const held = async () => (await userBalance(site, account)).held;
  /** Makes the last heartbeat this old. */
  const silence = (id: string, seconds: number) =>
    site.ctx.db('nodes').where({ id }).decrement('seen_at', seconds);
  const rowOf = (id: string) => site.ctx.db('nodes').where({ id }).first();
  const expectProof = async () =>
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true, differences: [] });

  it('release the holds of unknown processes at start, and none of a running one', async () => {
    await join('living');
    await holdBy('living', 30);
    await holdBy('long gone', 500);
    await join('starting');
    expect(await held()).toBe(30);
    await expectProof();
  });

  it('treat another process as dead after half a minute without a heartbeat, and no less', async () => {
    await join('elsewhere');
    await site.ctx.db('nodes').where({ id: 'elsewhere' }).update({ host: 'another machine' });
    await holdBy('elsewhere', 70);
    const watch = await join('here');
    await silence('elsewhere', 20);
    await watch.beat();
    expect(await held()).toBe(70);
    await silence('elsewhere', 11);
    await watch.beat();
    expect(await held()).toBe(0);
    expect(await rowOf('elsewhere')).toBeUndefined();
    await expectProof();
  });

  it('detect immediately that a process of the same machine has ended', async () => {
    const { pid } = spawnSync(execPath, ['--version']);
    await join('killed');
    await site.ctx.db('nodes').where({ id: 'killed' }).update({ pid });
    await holdBy('killed', 70);
    await join('here');
    expect(await held()).toBe(0);
  });

  it('do not judge a process of another machine by a local pid', async () => {
    const { pid } = spawnSync(execPath, ['--version']);
    await join('twin');
    const { host } = await rowOf('twin');
    await site.ctx
      .db('nodes')
      .where({ id: 'twin' })
      .update({ pid, host: `${host} copied` });
    await holdBy('twin', 70);
    await join('here');
    expect(await held()).toBe(70);
  });

  it('treat their own pid as a former process, or as a second server in the same process', async () => {
    await join('second server');
    await holdBy('second server', 30);
    const second = await rowOf('second server');
    await site.ctx.db('nodes').insert({ ...second, id: 'earlier life' });
    await holdBy('earlier life', 500);
    await join('here');
    expect(await held()).toBe(30);
  });

  it('that were removed during a stall register again, and keep later holds', async () => {
    const stalled = await join('stalled');
    const other = await join('other');
    await silence('stalled', 31);
    await other.beat();
    expect(await rowOf('stalled')).toBeUndefined();
    await stalled.beat();
    await holdBy('stalled', 70);
    await other.beat();
    await stalled.beat();
    expect(await held()).toBe(70);
  });

  it('release an expired hold, whichever process owns it', async () => {
    const watch = await join('living');
    await holdBy('living', 70, { lifetimeSec: 60 });
    await watch.beat();
    expect(await held()).toBe(70);
    await site.ctx.db('holds').where({ node: 'living' }).decrement('expires_at', 61);
    await watch.beat();
    expect(await held()).toBe(0);
  });

  it.each([
    ['ahead', 120],
    ['behind', -120],
  ])(
    "use the database's clock: a node %s of it releases no holds of others",
    async (_, aheadSec) => {
      await join('right');
      await site.ctx.db('nodes').where({ id: 'right' }).update({ host: 'another machine' });
      await holdBy('right', 70, { lifetimeSec: 60 });
      const lines: string[] = [];
      const log = loggerTo('warn', { write: (text) => void lines.push(text) });
      const now = () => Date.now() + aheadSec * 1000;
      const wrong: Context = { ...as('wrong'), now, log };
      const watch = await joinNodes(wrong);
      watches.push(watch);
      await site.ctx.db('nodes').where({ id: 'wrong' }).update({ host: 'a third machine' });
      await holdBy('wrong', 5, { createdAtSec: Math.floor(now() / 1000), lifetimeSec: 60 });
      await watch.beat();
      const [right] = watches;
      await right?.beat();
      expect(await held()).toBe(75);
      const living = await livingNodes(wrong);
      expect(living).toHaveLength(2);
      const skewed = living.filter(({ skewMs }) => Math.abs(skewMs - aheadSec * 1000) < 5_000);
      expect(skewed).toHaveLength(1);
      expect(lines.filter((line) => line.includes('the clock of this machine'))).toHaveLength(1);
      await expectProof();
    },
  );

  it('do not take a lease from each other, whatever their clocks show', async () => {
    await ensureLease(site.ctx.db, 'one job');
    const take = (holder: string) =>
      inTransaction(site.ctx, ({ db }) =>
        takeLease(db, { name: 'one job', holder, ttlMs: 60_000 }),
      );
    expect(await take('right')).toMatchObject({ holder: 'right' });
    site.pass(120);
    expect(await take('ahead')).toBeUndefined();
  });

  it('release their own hold if it was committed after they gave it up, and no other', async () => {
    const watch = await join('here');
    await holdBy('here', 30);
    // As if its commit had been in progress while the call was refused.
    const late = createLedgerWriter(site.databases, site.ctx.log);
    const createdAtSec = Math.floor(site.ctx.now() / 1000);
    expect(await late.hold(hold(account, 500, { node: 'here', createdAtSec }))).toBe('done');
    site.pass(60);
    await watch.beat();
    expect(await held()).toBe(530);
    site.pass(1);
    await watch.beat();
    expect(await held()).toBe(30);
    await expectProof();
  });

  it('that clean up concurrently release each hold once, even beside a settlement', async () => {
    const living = await join('living');
    await holdBy('living', 5);
    const ended = await holdBy('gone', 10);
    for (let index = 0; index < 40; index += 1) await holdBy('gone', 10);
    await Promise.all([
      living.beat(),
      join('second'),
      join('third'),
      site.ctx.ledger.close(close(ended, 7)),
    ]);
    expect(await userBalance(site, account)).toEqual({ quota: 993, held: 5 });
    await expectProof();
  });

  it('release more holds than fit in one transaction', async () => {
    const rich = await anAccount(site, 1_000_000);
    const many = Array.from({ length: 1_203 }, () => hold(rich, 1, { node: 'gone' }));
    await Promise.all(many.map((one) => site.ctx.ledger.hold(one)));
    expect((await userBalance(site, rich)).held).toBe(1_203);
    expect(await releaseOrphanedHolds(as('here'))).toBe(1_203);
    expect((await userBalance(site, rich)).held).toBe(0);
    await expectProof();
  });

  it('count as one group if one process keeps their counters', async () => {
    await join('alone');
    for (const node of ['worker 1', 'worker 2'])
      watches.push(await joinNodes(as(node), process.ppid));
    const families = (await livingNodes(site.ctx)).map(({ family }) => family);
    expect(families).toHaveLength(3);
    expect(new Set(families).size).toBe(2);
  });

  it('leave the list when they stop', async () => {
    const watch = await joinNodes(as('stopping'));
    expect(await rowOf('stopping')).toMatchObject({ pid: process.pid });
    await watch.stop();
    expect(await rowOf('stopping')).toBeUndefined();
  });
});
