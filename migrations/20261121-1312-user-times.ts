import type { Knex } from 'knex';

/** When an account was opened, and when its owner signed in last: epoch seconds, 0 unknown. */
export async function up(knex: Knex): Promise<void> {
  for (const column of ['created_time', 'last_login_time'])
    if (!(await knex.schema.hasColumn('users', column)))
      await knex.schema.alterTable('users', (table) => {
        table.bigInteger(column).notNullable().defaultTo(0);
      });
}
