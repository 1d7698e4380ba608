import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateDatabase, schemaOf } from '../../../src/cli/local/local-database.ts';
import { backUpSite, dryRunRestore, restoreSite } from '../../../src/cli/local/site-backup.ts';
import { loadConfig } from '../../../src/config.ts';
import { aggregateLogs } from '../../../src/services/logs/hourly-aggregates.ts';
import { openDatabases } from '../../../src/store/connection/database.ts';
import { moveEntries } from '../../../src/store/logs/log-outbox.ts';
import { databases, emptyDatabase, type FreshDatabase } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { aSite, eventually, OPERATOR, type Site } from '../../support/site.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const BODY = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };
const WATCH = { signal: new AbortController().signal, onRows: () => undefined };

describe.each(databases)('a log in a separate $kind database', ({ kind }) => {
  let log: FreshDatabase;
  let site: Site;

  beforeAll(async () => {
    log = await emptyDatabase(kind);
    site = await aSite({ database: kind, config: { logDatabase: log.dsn } });
  });
  afterAll(async () => {
    await site.close();
    await log.drop();
  });

  const arrived = (requestId: string) =>
    eventually('the line is in the log', async () =>
      (await log.db('logs').where({ request_id: requestId })).at(0),
    );
  const waiting = async () => (await site.ctx.db('log_outbox').select('line_key')).length;

  it("stores the log entry of a call, and the site's database stores none", async () => {
    const answer = await site.call({ body: BODY });
    expect(answer.status, answer.text).toBe(200);
    const line = await arrived(answer.requestId);
    const [charge] = await site.ledgerOf(answer.requestId);
    expect(Number(line.quota)).toBe(-Number(charge?.user_units));
    expect(await site.ctx.db('logs').select('id')).toEqual([]);
    await eventually('the outbox is empty', async () => (await waiting()) === 0);
    const api = site.as(OPERATOR);
    expect((await api.log.list({ type: 2 })).items).toMatchObject([
      { request_id: answer.requestId },
    ]);
    expect((await api.log.stat({})).count).toBe(1);
    expect((await api.ledger.explain({ request_id: answer.requestId })).logs).toHaveLength(1);
    expect((await site.as(site.user.actor).log.listOwn({ type: 2 })).total).toBe(1);
    await aggregateLogs(site.ctx);
    expect((await api.data.overview({})).totals.calls).toBe(1);
    expect(await api.ledger.verify({})).toMatchObject({ ok: true });
  });

  it('delays no call while it is unavailable, and loses nothing when it is back', async () => {
    await log.db.schema.renameTable('log_arrivals', 'away');
    const answers = await Promise.all([1, 2, 3].map(() => site.call({ body: BODY })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await waiting()).toBe(3);
    await log.db.schema.renameTable('away', 'log_arrivals');
    for (const { requestId } of answers) await arrived(requestId);
    await eventually('the outbox is empty', async () => (await waiting()) === 0);
  });

  it('stores an entry once, however often and concurrently it is delivered', async () => {
    const { requestId } = await site.call({ body: BODY });
    await arrived(requestId);
    await eventually('the outbox is empty', async () => (await waiting()) === 0);
    const [{ line_key }] = await log.db('log_arrivals').orderBy('outbox_id', 'desc').limit(1);
    // Simulates a kill between the two commits.
    await site.ctx.db('log_outbox').insert({ line_key, request_id: requestId });
    const fresh = Array.from({ length: 40 }, (_, at) => ({
      line_key: `key ${at}`,
      request_id: 'many',
    }));
    await site.ctx.db('log_outbox').insert(fresh);
    await Promise.all([1, 2, 3].map(() => moveEntries(site.ctx, site.ctx.logDatabase)));
    await eventually('the outbox is empty', async () => (await waiting()) === 0);
    expect(await log.db('logs').where({ request_id: requestId })).toHaveLength(1);
    expect(await log.db('logs').where({ request_id: 'many' })).toHaveLength(40);
    await log.db('logs').where({ request_id: 'many' }).delete();
  });

  it('can be cleared, and the action is logged in it', async () => {
    expect(await site.as(OPERATOR).log.clear({ before: 1000 })).toBe(0);
    await eventually('the note is there', async () =>
      (await log.db('logs').where('content', 'like', '0 log entries%')).at(0),
    );
  });

  it("is included in the site's backup and restored from it", async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'site.gz');
    const [site2, log2] = [await emptyDatabase(kind), await emptyDatabase(kind)];
    const configFor = (database: string, logDatabase: string) =>
      loadConfig({ dataDir: folder, database, logDatabase }, {});
    try {
      await eventually('the outbox is empty', async () => (await waiting()) === 0);
      const lines = await log.db('logs').orderBy('id').pluck('request_id');
      const rows = await backUpSite(configFor(site.dsn, log.dsn), file, {
        ...WATCH,
        withSecretKey: false,
      });
      expect(rows).toMatchObject({ logs: lines.length, users: 1 });
      const to = configFor(site2.dsn, log2.dsn);
      const { summary } = await dryRunRestore(to, file, false);
      await restoreSite(to, file, { ...WATCH, summary, replace: false });
      expect(await log2.db('logs').orderBy('id').pluck('request_id')).toEqual(lines);
      expect(await site2.db('logs').select('id')).toEqual([]);
      expect(await migrateDatabase(to, () => undefined)).toEqual([]);
      expect(await schemaOf(to)).toMatchObject({ state: 'current', log: { state: 'current' } });
      await expectRefusal(dryRunRestore(to, file, false), 'restore_not_empty');
    } finally {
      await site2.drop();
      await log2.drop();
    }
  });

  it('cannot be the database of a site', async () => {
    const other = await openDatabases(log.dsn);
    try {
      await expectRefusal(
        schemaOf(loadConfig({ database: log.dsn, logDatabase: site.dsn }, {})),
        'config_invalid',
        { params: { key: 'logDatabase' } },
      );
    } finally {
      await other.close();
    }
  });

  it("can be removed with undelivered entries, which go to the site's database", async () => {
    await site.serving.stop();
    const home = await openDatabases(site.dsn);
    try {
      await home.db('log_outbox').insert({ line_key: 'k', request_id: 'homeward' });
      const shared = { ...home, isSeparate: false };
      expect(await moveEntries(home, shared)).toBe(1);
      expect(await home.db('logs').pluck('request_id')).toEqual(['homeward']);
    } finally {
      await home.close();
    }
  });
});
