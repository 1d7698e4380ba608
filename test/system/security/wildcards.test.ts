/** Checks that search fields and filters treat any input as text, not as a pattern or SQL. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { writing } from '../../../src/services/cluster/announced-write.ts';
import { insertTopUp } from '../../../src/store/tables/top-ups-table.ts';
import { signedIn } from '../../support/api-client.ts';
import { aBudget } from '../../support/budgets.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { OPERATOR } from '../../support/site.ts';
import { fieldsOf, requestTo, ways } from './ways.ts';

/** Characters with a special meaning in LIKE on some database. */
const SIGNS = ['%', '_', '\\', '!', '['] as const;

/** Every character with a meaning in SQL, in patterns or in placeholders, and odd Unicode. */
const HOSTILE = `'"\`); -- %\\_!% ? $1 :name {x} \u{1f600}\u202e\uffff`;

/** A search field: the id of its call and the name of the field. */
interface Field {
  readonly id: string;
  readonly field: string;
}

const SEARCHES: readonly Field[] = [
  { id: 'user.list', field: 'keyword' },
  { id: 'user.search', field: 'keyword' },
  { id: 'token.list', field: 'keyword' },
  { id: 'token.search', field: 'keyword' },
  { id: 'channel.list', field: 'keyword' },
  { id: 'channel.list', field: 'model' },
  { id: 'channel.search', field: 'keyword' },
  { id: 'redemption.list', field: 'keyword' },
  { id: 'redemption.search', field: 'keyword' },
  { id: 'message.list', field: 'keyword' },
  { id: 'message.search', field: 'keyword' },
  { id: 'group.list', field: 'keyword' },
  { id: 'budget.list', field: 'keyword' },
  { id: 'budget.listOwn', field: 'keyword' },
  { id: 'price.list', field: 'q' },
  { id: 'wallet.orders', field: 'keyword' },
  { id: 'wallet.allOrders', field: 'keyword' },
  { id: 'log.search', field: 'keyword' },
  { id: 'log.searchOwn', field: 'keyword' },
  { id: 'log.list', field: 'model_name' },
  { id: 'log.listOwn', field: 'model_name' },
];

/** Not searched in a database. */
const IN_MEMORY = /^vendor\./;

it('every search field is tested', () => {
  const searched = ways.filter(({ id }) => !IN_MEMORY.test(id));
  const found = searched.flatMap(({ id, call }) =>
    Object.keys(fieldsOf(call))
      .filter((field) => field === 'keyword' || field === 'q')
      .map((field) => `${id} ${field}`),
  );
  const tried = SEARCHES.map(({ id, field }) => `${id} ${field}`);
  expect(tried).toEqual(expect.arrayContaining(found));
});

const TEXTS = [HOSTILE, 'x'.repeat(7_000)];

const FILTERS = ways
  .filter(({ method, call }) => method === 'GET' && call.role > 0)
  .flatMap((way) => Object.keys(fieldsOf(way.call)).map((field) => ({ ...way, field })));

/** Whether the schema of the call accepts one of the texts in the field. */
function isRead({ call, field }: (typeof FILTERS)[number]): boolean {
  return TEXTS.some((text) => {
    const { error } = z.safeParse(call.input, { [field]: text });
    return !error?.issues.some(({ path }) => path[0] === field);
  });
}

describe.each(databases)('search on $kind', async ({ kind }) => {
  const config = { apiRateLimitEnabled: false, criticalRateLimitEnabled: false };
  const site = await sharedSite({ database: kind, config });
  const owner = await site.addUser({ role: 100 });
  const root = await signedIn(site, owner);
  // One plain text and one for each special character.
  for (const text of ['plain', ...SIGNS.map((sign) => `${sign}a`)]) await oneOfEach(text, owner.id);

  async function oneOfEach(text: string, userId: number): Promise<void> {
    const operator = site.as(OPERATOR);
    await site.addUser({ username: text });
    const { id } = await operator.token.create({ name: text, user: userId });
    await aBudget(site.ctx, { subject: 'token', subject_id: String(id), limit_amount: 1 });
    await site.addChannel({ name: text, models: `${text},other` });
    await operator.redemption.create({ name: text, quota: 1 });
    await operator.message.create({ title: text, content: '-', user_ids: [userId] });
    await operator.group.set({ name: text, ratio: 1 });
    await operator.price.set({ model: text, ratio: 1 });
    const order = { amount: 1, quota: 1, cents: 1, provider: 'p', method: 'm', create_time: 1 };
    await writing(site.ctx, ({ db }) =>
      insertTopUp(db, { ...order, user_id: userId, trade_no: text }),
    );
    await site.ctx.db('logs').insert({
      user_id: userId,
      created_at: Math.floor(site.ctx.now() / 1000),
      type: 2,
      content: text,
      model_name: text,
    });
  }

  const asking = (id: string, input: Readonly<Record<string, unknown>>) => {
    const way = ways.find((one) => one.id === id);
    if (way === undefined) throw new Error(`no call ${id}`);
    const { path, options: request } = requestTo(way, input);
    return root.send(way.method, path, request);
  };

  it.each(SEARCHES)('$id matches the text of $field literally', async ({ id, field }) => {
    for (const sign of SIGNS) {
      const reply = await asking(id, { [field]: field === 'model_name' ? `${sign}a` : sign });
      expect([sign, reply.body.success]).toEqual([sign, true]);
      expect(reply.text).toContain(JSON.stringify(`${sign}a`).slice(1, -1));
      const { items } = reply.body.data;
      expect(items.filter((item: object) => !Object.values(item).join(' ').includes(sign))).toEqual(
        [],
      );
      // Some built-in prices contain an underscore.
      if (id !== 'price.list') expect([sign, items.length]).toEqual([sign, 1]);
    }
  });

  // A schema that refuses a text does so before any statement, so one database is enough for that.
  it.each(kind === databases[0]?.kind ? FILTERS : FILTERS.filter(isRead))(
    '$title accepts any text in $field without an internal error',
    async ({ id, field }) => {
      for (const text of TEXTS) {
        const { status, body, text: answered } = await asking(id, { [field]: text });
        expect(status, answered).toBeLessThan(500);
        expect(body?.code, answered).not.toBe('internal');
      }
    },
  );

  it('no text dropped a table or deleted its rows', async () => {
    expect((await root.send('GET', '/api/user/')).body.data.total).toBeGreaterThan(6);
  });
});
