import type { Knex } from 'knex';
import { createTable } from './create-table.ts';

/** Times are epoch seconds, `response_time` milliseconds, `balance` USD as the upstream reports it. */
export async function up(knex: Knex): Promise<void> {
  await createTable(
    knex,
    'channels',
    (table, longText) => {
      table.bigIncrements('id');
      table.integer('type').notNullable().defaultTo(0);
      table.string('name').notNullable().defaultTo('');
      table.integer('status').notNullable().defaultTo(1);
      table.integer('weight').notNullable().defaultTo(0);
      table.bigInteger('priority').notNullable().defaultTo(0);
      for (const column of ['created_time', 'test_time', 'balance_updated_time'])
        table.bigInteger(column).notNullable().defaultTo(0);
      table.integer('response_time').notNullable().defaultTo(0);
      table.string('base_url', 512).nullable().defaultTo('');
      longText('other');
      table.string('openai_organization').nullable();
      table.string('test_model').nullable();
      table.double('balance').notNullable().defaultTo(0);
      table.bigInteger('used_quota').notNullable().defaultTo(0);
      longText('models');
      longText('group').defaultTo(knex.raw("('default')"));
      for (const column of ['model_mapping', 'setting', 'param_override', 'system_prompt'])
        longText(column).nullable();
      table.string('status_code_mapping', 1024).nullable().defaultTo('');
      table.integer('auto_ban').notNullable().defaultTo(1);
      longText('other_info');
      table.string('tag').nullable();
      table.string('model_prefix', 64).nullable().defaultTo('');
    },
    { index: [['name'], ['tag'], ['status', 'priority']] },
  );
}
