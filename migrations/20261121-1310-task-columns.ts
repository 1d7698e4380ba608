import type { Knex } from 'knex';

type Columns = Readonly<Record<string, (table: Knex.AlterTableBuilder) => void>>;

/**
 * What a task needs beyond its submission: who is refunded, whom to ask, and under which name. An
 * empty `upstream_id` beside a `request_id` is a task that is still being submitted; in rows without a
 * `request_id`, which are older, the id that clients know is the upstream's own.
 */
const COMMON: Columns = {
  token_id: (table) => table.bigInteger('token_id').notNullable().defaultTo(0),
  key_id: (table) => table.bigInteger('key_id').notNullable().defaultTo(0),
  request_id: (table) => table.string('request_id', 64).notNullable().defaultTo(''),
  upstream_id: (table) => table.string('upstream_id', 128).notNullable().defaultTo(''),
  notify_hook: (table) => table.string('notify_hook', 2048).notNullable().defaultTo(''),
};

const DRAWINGS: Columns = {
  custom_id: (table) => table.string('custom_id').notNullable().defaultTo(''),
  bot_type: (table) => table.string('bot_type', 32).notNullable().defaultTo(''),
};

export async function up(knex: Knex): Promise<void> {
  await addColumns(knex, 'midjourneys', { ...COMMON, ...DRAWINGS });
  await addColumns(knex, 'tasks', COMMON);
}

async function addColumns(knex: Knex, table: string, columns: Columns): Promise<void> {
  for (const [column, add] of Object.entries(columns))
    if (!(await knex.schema.hasColumn(table, column))) await knex.schema.alterTable(table, add);
}
