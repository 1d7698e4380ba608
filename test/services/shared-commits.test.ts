/** Workers whose parent commits for them, on one SQLite file. */

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { NO_OP_OBSERVER } from '../../src/observe/observer.ts';
import { type BatchCommit, createBatchCommit } from '../../src/services/billing/commit-batch.ts';
import { createLedgerWriter } from '../../src/services/billing/ledger-writer.ts';
import { type CommitMessage, createCommitHost } from '../../src/services/billing/shared-commits.ts';
import type { ThresholdCrossing } from '../../src/services/billing/threshold-crossings.ts';
import { openDatabases } from '../../src/store/connection/database.ts';
import { OPERATOR } from '../support/local-site.ts';
import { aProcessLine } from '../support/process-line.ts';
import { sharedLocalSite } from '../support/shared-site.ts';
import { eventually } from '../support/site.ts';
import { aLog, anAccount, close, hold, userBalance } from '../system/ledger/operations.ts';

const log = createLogger('silent');
const WORKERS = 3;

describe('workers whose parent commits for them', async () => {
  /** The parent's own connections. */
  /** What the listeners of the workers received. */
  let commits: number[] = [];
  let crossings: ThresholdCrossing[] = [];
  const site = await sharedLocalSite('sqlite');
  const pools = await openDatabases(site.databases.dsn);
  afterAll(() => pools.close());
  beforeEach(() => {
    commits = [];
    crossings = [];
  });

  /** `commitInParent` may do more than the parent's commit, which it is given. */
  const family = (
    commitInParent: (own: BatchCommit) => BatchCommit['commit'] = (own) => own.commit,
  ) => {
    const host = createCommitHost((listener) => {
      const own = createBatchCommit(pools, log, { logTable: 'logs', listener });
      return { ...own, commit: commitInParent(own) };
    }, WORKERS);
    return Array.from({ length: WORKERS }, () => {
      const { near, far, cut } = aProcessLine<CommitMessage>();
      host.serve(far);
      const ledger = createLedgerWriter(site.databases, log, {
        shared: { channel: near, workers: WORKERS },
        observer: { ...NO_OP_OBSERVER, commitEnded: (size) => void commits.push(size) },
      });
      ledger.onThresholdCrossed((crossing) => void crossings.push(crossing));
      return { ledger, cut };
    });
  };
  const expectProof = async () =>
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  const chargesOf = (requestId: string) =>
    site.ctx.db('ledger').where({ key: `call:${requestId}` });

  it('share one commit, which is counted once, and get their own outcomes', async () => {
    const account = await anAccount(site, 100);
    const workers = family();
    const holds = [40, 50, 70].map((units) => hold(account, units));
    const outcomes = await Promise.all(holds.map((one, at) => workers[at]?.ledger.hold(one)));
    expect(outcomes).toEqual(['done', 'done', 'user_short']);
    expect(commits).toEqual([3]);
    await Promise.all(
      holds.slice(0, 2).map((one, at) => workers[at]?.ledger.close(close(one, 30))),
    );
    expect(commits).toEqual([3, 2]);
    expect(await userBalance(site, account)).toEqual({ quota: 40, held: 0 });
    await expectProof();
  });

  it('report a balance once that only their charges together take below the threshold', async () => {
    const account = await anAccount(site, 100);
    const ends = family().map(({ ledger }) =>
      ledger.close(close(hold(account, 0), 10, { hold: undefined, warnBelow: 75 })),
    );
    expect(await Promise.all(ends)).toEqual(['done', 'done', 'done']);
    expect(crossings).toEqual([{ userId: account.userId, before: 100, after: 70 }]);
    await expectProof();
  });

  it('write everything but the operation that the database refuses', async () => {
    const account = await anAccount(site, 1_000);
    const workers = family();
    const poison = hold(account, 0.5);
    const outcomes = await Promise.allSettled([
      workers[0]?.ledger.hold(hold(account, 10)),
      workers[1]?.ledger.hold(poison),
      workers[1]?.ledger.hold(hold(account, 20)),
      workers[2]?.ledger.hold(hold(account, 40)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await userBalance(site, account)).toEqual({ quota: 1_000, held: 70 });
    await expectProof();
  });

  it('learn from the parent that the file is not writable', async () => {
    const account = await anAccount(site, 1_000);
    const [worker] = family();
    await pools.db.raw('pragma query_only=1');
    await expect(worker?.ledger.hold(hold(account, 10))).rejects.toMatchObject({
      code: 'database_not_writable',
    });
    expect(worker?.ledger.writes.fault).toBe('read-only');
    await pools.db.raw('pragma query_only=0');
    expect(await worker?.ledger.hold(hold(account, 10))).toBe('done');
  });

  it('double nothing when the parent ends after its commit, before its answer', async () => {
    const account = await anAccount(site, 1_000);
    let cut: () => void = () => undefined;
    const [worker] = family((own) => async (batch) => {
      const outcomes = await own.commit(batch);
      if (batch.length > 0) cut();
      return outcomes;
    });
    const one = hold(account, 100);
    expect(await worker?.ledger.hold(one)).toBe('done');
    cut = () => worker?.cut();
    const end = close(one, 60, { logs: [aLog(one.requestId, account)] });
    expect(await worker?.ledger.close(end)).toBe('repeat');
    expect(await chargesOf(one.requestId)).toHaveLength(1);
    expect(await site.ctx.db('logs').where({ request_id: one.requestId })).toHaveLength(1);
    const next = hold(account, 50);
    expect(await worker?.ledger.hold(next)).toBe('done');
    expect(await worker?.ledger.close(close(next, 50))).toBe('done');
    expect(await userBalance(site, account)).toEqual({ quota: 890, held: 0 });
    await expectProof();
  });

  it('give a hold up that the parent commits after their channel broke', async () => {
    const account = await anAccount(site, 1_000);
    let commitLate = async () => undefined as unknown;
    const [worker] = family((own) => (batch) => {
      worker?.cut();
      return new Promise((resolve) => {
        commitLate = async () => {
          const outcomes = await own.commit(batch);
          resolve(outcomes);
          return outcomes;
        };
      });
    });
    const one = hold(account, 100);
    expect(await worker?.ledger.hold(one)).toBe('done');
    expect(await worker?.ledger.close(close(one, 60))).toBe('done');
    expect(await commitLate()).toEqual(['done']);
    expect(await userBalance(site, account)).toEqual({ quota: 940, held: 100 });
    // Its node releases it (services/cluster/nodes.ts).
    expect(worker?.ledger.abandonedHolds([one.requestId])).toEqual([one.requestId]);
    await eventually('nothing waits', () => worker?.ledger.waiting() === 0);
    await expectProof();
  });
});
