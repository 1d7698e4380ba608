/** A node continues while the next version has migrated the database. */
import type { Knex } from 'knex';
import { afterEach, describe, expect, test } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { loadConfig } from '../../../src/config.ts';
import { startServer } from '../../../src/server/serve.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { databases } from '../../support/databases.ts';
import { aSite, OPERATOR, type Site } from '../../support/site.ts';
import { CHAT, STREAM } from '../../upstream/wire.ts';

/** Everything a migration may do, on the tables that every call uses. */
const NEXT = {
  name: '20991231-1000-next',
  async up(db: Knex): Promise<void> {
    if (await db.schema.hasTable('of_the_next')) return;
    for (const name of ['users', 'tokens', 'ledger', 'logs']) {
      // MySQL commits each change, so a repeated attempt finds some of them done.
      if (await db.schema.hasColumn(name, 'of_the_next')) continue;
      await db.schema.alterTable(name, (table) => {
        table.string('of_the_next').nullable();
        table.integer('count_of_the_next').notNullable().defaultTo(0);
        table.index(['of_the_next'], `${name}_of_the_next_index`);
      });
    }
    await db.schema.createTable('of_the_next', (table) => void table.bigIncrements('id'));
  },
};

describe.each(databases)('a node on $kind whose schema is migrated while it runs', ({ kind }) => {
  let site: Site | undefined;
  afterEach(() => site?.close());

  test('loses no call and keeps its ledger; a restarted node is refused', async () => {
    site = await aSite({ database: kind });
    const { call, ctx, dsn, as, user } = site;
    let isOver = false;
    let calls = 0;
    const caller = async (body: unknown): Promise<void> => {
      do {
        const answer = await call({ body });
        expect([answer.status, answer.text.includes('error')]).toEqual([200, false]);
        calls += 1;
      } while (!isOver);
    };
    const callers = [CHAT, STREAM, CHAT].map(caller);
    await migrate({ ...ctx.logDatabase, ...ctx, reads: ctx.db }, [...migrations, NEXT]);
    isOver = true;
    await Promise.all(callers);
    await caller(CHAT);
    await caller(STREAM);

    const made = await site.addToken({ name: 'made after' });
    expect((await call({ body: CHAT, key: made.key })).status).toBe(200);
    await as(OPERATOR).token.edit({ id: made.id, name: 'renamed after' });
    expect((await as(OPERATOR).user.list({})).items.map(({ id }) => id)).toContain(user.id);
    await site.settled();
    expect(await site.chargesOf(user.id)).toHaveLength(calls + 1);
    expect(await site.verify()).toMatchObject({ ok: true, checked: { holds: 0 } });

    const flags = { dataDir: ctx.config.dataDir, database: dsn, port: 0, logLevel: 'silent' };
    await expect(startServer(loadConfig(flags, {}))).rejects.toMatchObject({
      code: 'schema_newer',
      params: { migrations: [NEXT.name] },
    });
    expect((await call({ body: CHAT })).status).toBe(200);
  });
});
