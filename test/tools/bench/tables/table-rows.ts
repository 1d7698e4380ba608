/** Fills lists with many pages by repeating the rows of `seed`. */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';

const ROWS_AT_ONCE = 50;

type Row = Readonly<Record<string, unknown>>;

/** Values that must differ between a row and its copies. */
const OWN: Readonly<Record<string, (row: Row, copy: number) => Row>> = {
  users: (row, copy) => ({
    username: `${row.username}-${copy}`,
    username_key: `${row.username}-${copy}`.toLowerCase(),
    aff_code: `c${copy}`,
    email: row.email === '' ? '' : `${copy}.${row.email}`,
    access_token_hash: null,
  }),
  channels: (row, copy) => ({ name: `${row.name}-${copy}` }),
  tokens: (row, copy) => ({ name: `${row.name}-${copy}`, key_hash: randomKey(32) }),
  redemptions: () => ({ key: randomKey(16) }),
  midjourneys: () => ({ mj_id: randomKey(8) }),
  tasks: () => ({ task_id: randomKey(8) }),
};

/**
 * Creates at least `count` users, channels, tokens of the first user, codes, image tasks and tasks.
 */
export async function fillLists(db: Knex, count: number): Promise<void> {
  for (const [table, own] of Object.entries(OWN)) {
    const rows: Row[] = await db(table).where(table === 'tokens' ? { user_id: 1 } : {});
    const copies = Array.from({ length: Math.max(0, count - rows.length) }, (_, index) => {
      const { id: _ofTheFirst, ...row } = rows[index % rows.length] ?? {};
      return { ...row, ...own(row, index) };
    });
    await db.batchInsert(table, copies, ROWS_AT_ONCE);
  }
  await giveOutcomes(db);
}

/** Gives every channel the outcomes of thirty calls, like `seed`. */
async function giveOutcomes(db: Knex): Promise<void> {
  const outcomes: Row[] = await db('channel_outcomes').where({ channel_id: 1 });
  const without: { id: number }[] = await db('channels')
    .whereNotIn('id', db('channel_outcomes').distinct('channel_id'))
    .select('id');
  const copies = without.flatMap(({ id: channel_id }) =>
    outcomes.map(({ id: _ofTheFirst, ...outcome }) => ({ ...outcome, channel_id })),
  );
  await db.batchInsert('channel_outcomes', copies, ROWS_AT_ONCE);
}

function randomKey(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
