import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { NO_OP_OBSERVER, type Observer } from '../../../src/observe/observer.ts';
import {
  createLedgerWriter,
  type LedgerWriter,
} from '../../../src/services/billing/ledger-writer.ts';
import { type Databases, openDatabases } from '../../../src/store/connection/database.ts';
import { databases } from '../../support/databases.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';
import { eventually } from '../../support/site.ts';
import {
  aCharge,
  aLog,
  anAccount,
  aRequestId,
  close,
  hold,
  tokenBalance,
  userBalance,
} from '../../system/ledger/operations.ts';
import { severingProxy } from '../../system/ledger/severing-proxy.ts';

/** SQLITE_LIMIT_SQL_LENGTH: sqlite.org/c3ref/c_limit_attached.html. */
const SQL_LENGTH = 1;

/** A ledger writer on its own pools, and its log output. */
interface OwnLedger {
  readonly ledger: LedgerWriter;
  readonly pools: Databases;
  readonly lines: string[];
}

async function ledgerOn(dsn: string, observer: Observer = NO_OP_OBSERVER): Promise<OwnLedger> {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const pools = await openDatabases(dsn);
  return { ledger: createLedgerWriter(pools, log, { observer }), pools, lines };
}

describe.each(databases)('the ledger writer on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);

  const expectProof = async () =>
    expect(await site.as(OPERATOR).ledger.verify({})).toMatchObject({ ok: true, differences: [] });
  const openHoldsOf = ({ userId }: { userId: number }) =>
    site.ctx.db('holds').where({ user_id: userId });

  it('returns each of many concurrent calls its own result', async () => {
    const { ledger } = site.ctx;
    const account = await anAccount(site, 100, 60);
    const holds = [40, 30, 20, 45].map((units) => hold(account, units, { tokenUnits: units }));
    const outcomes = await Promise.all(holds.map((one) => ledger.hold(one)));
    expect(outcomes).toEqual(['done', 'token_short', 'done', 'user_short']);
    const ends = [holds[0], holds[2]].flatMap((one) => (one === undefined ? [] : [close(one, 7)]));
    expect(await Promise.all(ends.map((end) => ledger.close(end)))).toEqual(['done', 'done']);
    expect(await userBalance(site, account)).toEqual({ quota: 86, held: 0 });
    expect(await tokenBalance(site, account)).toEqual({ quota: 46, held: 0 });
    await expectProof();
  });

  it('writes the other operations of a batch when the database refuses one', async () => {
    const account = await anAccount(site, 1_000);
    const { ledger, pools } = await ledgerOn(site.databases.dsn);
    const holds = Array.from({ length: 6 }, () => hold(account, 10));
    await Promise.all(holds.map((one) => ledger.hold(one)));
    const poison = hold(account, 0.5);
    const outcomes = await Promise.allSettled([
      ...holds.slice(0, 3).map((one) => ledger.close(close(one, 4))),
      ledger.hold(poison),
      ...holds.slice(3).map((one) => ledger.close(close(one, 4))),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      'rejected',
      ...Array(3).fill('fulfilled'),
    ]);
    expect(await userBalance(site, account)).toEqual({ quota: 976, held: 0 });
    await expectProof();
    await ledger.flush();
    await pools.close();
  });

  it('fails no script twice for an account that covers no holds', async () => {
    const [short, other] = [await anAccount(site, 10), await anAccount(site, 100)];
    const reasons: string[] = [];
    const own = await ledgerOn(site.databases.dsn, {
      ...NO_OP_OBSERVER,
      batchFellBack: (reason) => void reasons.push(reason),
    });
    const holdAll = (units: number) =>
      Promise.all([hold(other, 1), hold(short, units)].map((one) => own.ledger.hold(one)));
    expect(await holdAll(11)).toEqual(['done', 'user_short']);
    expect(await holdAll(11)).toEqual(['done', 'user_short']);
    expect(await holdAll(6)).toEqual(['done', 'done']);
    expect(await holdAll(6)).toEqual(['done', 'user_short']);
    expect(reasons).toEqual(kind === 'mysql' ? [] : ['check_failed', 'check_failed']);
    expect(await userBalance(site, short)).toEqual({ quota: 10, held: 6 });
    expect(await userBalance(site, other)).toEqual({ quota: 100, held: 4 });
    await expectProof();
    await own.pools.close();
  });

  it('never overdraws a balance that two nodes spend, and loses nothing', async () => {
    const account = await anAccount(site, 2_000, 1_500);
    const nodes = await Promise.all([ledgerOn(site.databases.dsn), ledgerOn(site.databases.dsn)]);
    const spend = async (at: number): Promise<number> => {
      const ledger = nodes[at % 2]?.ledger ?? site.ctx.ledger;
      const one = hold(account, 40 + (at % 5), { tokenUnits: at % 3 === 0 ? 0 : 40 + (at % 5) });
      if ((await ledger.hold(one)) !== 'done') return 0;
      await ledger.close(close(one, 30, { logs: [aLog(one.requestId, account)] }));
      return 30;
    };
    const spent = await Promise.all(Array.from({ length: 120 }, (_, at) => spend(at)));
    const sum = spent.reduce((total, units) => total + units, 0);
    expect(sum).toBeGreaterThan(0);
    expect(await userBalance(site, account)).toEqual({ quota: 2_000 - sum, held: 0 });
    expect(await tokenBalance(site, account)).toEqual({ quota: 1_500 - sum, held: 0 });
    await expectProof();
    for (const node of nodes) await node.pools.close();
  });

  it('retries a settlement while the database refuses, and charges it once', async () => {
    const account = await anAccount(site, 1_000);
    const one = hold(account, 100);
    await site.ctx.ledger.hold(one);
    const own = await ledgerOn(site.databases.dsn);
    const blocker = await openDatabases(site.databases.dsn);
    // The cause: on SQLite a writer that exceeds the wait; elsewhere the server, which closes the
    // connection that waits for the row.
    if (kind === 'sqlite') await own.pools.db.raw('pragma busy_timeout=1');
    const lock = await blocker.db.transaction();
    await lock('users').where({ id: account.userId }).update({ display_name: 'locked' });
    const closed = own.ledger.close(close(one, 60));
    // PostgreSQL's script is repeated statement by statement before the commit has failed.
    const kills = { sqlite: 0, postgres: 2, mysql: 1 }[kind];
    for (let at = 0; at < kills; at += 1) await killWhoeverWaits(blocker);
    await eventually('a failed try was logged', () =>
      own.lines.join('').includes('the end of a call could not be written'),
    );
    await lock.rollback();
    expect(await closed).toBe('done');
    expect(await userBalance(site, account)).toEqual({ quota: 940, held: 0 });
    await expectProof();
    await blocker.close();
    await own.pools.close();
  });

  if (kind === 'sqlite') {
    it('counts every failed settlement batch and logs it once', async () => {
      const account = await anAccount(site, 1_000);
      const reasons: string[] = [];
      const own = await ledgerOn(site.databases.dsn, {
        ...NO_OP_OBSERVER,
        batchFellBack: (reason) => void reasons.push(reason),
      });
      const limitStatements = async (bytes: number) => {
        const connection = await own.pools.db.client.acquireConnection();
        connection.configure('limit', SQL_LENGTH, bytes);
        own.pools.db.client.releaseConnection(connection);
      };
      const end = () => {
        const one = { ...account, requestId: aRequestId() };
        // Part of the script's text, a bound value elsewhere.
        const charge = { ...aCharge(one.requestId, one, 10), detail: 'x'.repeat(10_000) };
        return own.ledger.close(close(one, 10, { charge }));
      };
      await limitStatements(8_000);
      expect([await end(), await end()]).toEqual(['done', 'done']);
      expect(reasons).toEqual(['error', 'error']);
      expect(own.lines.join('').match(/fast settlement script failed/g)).toHaveLength(1);
      expect(own.ledger.slowReason()).toContain('SQLITE');
      await limitStatements(1_000_000);
      expect(await end()).toBe('done');
      expect(own.ledger.slowReason()).toBeUndefined();
      expect(reasons).toHaveLength(2);
      expect(await userBalance(site, account)).toEqual({ quota: 970, held: 0 });
      await expectProof();
      await own.pools.close();
    });
  }

  if (kind !== 'sqlite') {
    it('releases a hold whose commit was not acknowledged, and refuses the call', async () => {
      const account = await anAccount(site, 1_000, 500);
      const proxy = await severingProxy(site.databases.dsn);
      const { ledger, pools } = await ledgerOn(proxy.dsn);
      // PostgreSQL's script is repeated statement by statement, which would find the hold.
      const severed = proxy.severCommits(kind === 'postgres' ? 2 : 1);
      const one = hold(account, 100, { tokenUnits: 100 });
      await expect(ledger.hold(one)).rejects.toMatchObject({ code: 'database_unreachable' });
      await severed;
      await eventually('the hold is gone', async () => (await openHoldsOf(account)).length === 0);
      expect(await userBalance(site, account)).toEqual({ quota: 1_000, held: 0 });
      expect(await tokenBalance(site, account)).toEqual({ quota: 500, held: 0 });
      await expectProof();
      await pools.close();
      await proxy.close();
    });

    it('counts holds and charges once after an unacknowledged commit', async () => {
      const account = await anAccount(site, 1_000);
      const proxy = await severingProxy(site.databases.dsn);
      const { ledger, pools } = await ledgerOn(proxy.dsn);
      const ended = hold(account, 100);
      await ledger.hold(ended);
      const severed = proxy.severCommits(1);
      const begun = [hold(account, 200), hold(account, 300)];
      const outcomes = await Promise.all([
        ...begun.map((one) => ledger.hold(one)),
        ledger.close(close(ended, 40, { logs: [aLog(ended.requestId, account)] })),
      ]);
      await severed;
      expect(outcomes).toEqual(['repeat', 'repeat', 'repeat']);
      expect(await userBalance(site, account)).toEqual({ quota: 960, held: 500 });
      expect(await openHoldsOf(account)).toHaveLength(2);
      expect(await site.ctx.db('logs').where({ request_id: ended.requestId })).toHaveLength(1);
      await expectProof();
      await Promise.all(begun.map((one) => ledger.close(close(one))));
      await pools.close();
      await proxy.close();
    });
  }
});

/** Closes, on the database's side, the connection that waits for a lock on `users`. */
async function killWhoeverWaits(admin: Databases): Promise<void> {
  const isPostgres = admin.engine === 'postgres';
  const waiting = isPostgres
    ? "select pid as id from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    : `select id from information_schema.processlist
       where db = database() and command <> 'Sleep' and info like '%users%' and id <> connection_id()`;
  const waiter = async () => {
    const answer = await admin.db.raw(waiting);
    const [row] = isPostgres ? answer.rows : answer[0];
    return row === undefined ? undefined : Number(row.id ?? row.ID);
  };
  const id = await eventually('a connection waits for the lock', waiter);
  await admin.db.raw(isPostgres ? `select pg_terminate_backend(${id})` : `kill ${id}`);
  // A killed connection is listed until it has ended: a second kill would find it again.
  await eventually('the connection has ended', async () => (await waiter()) !== id);
}
