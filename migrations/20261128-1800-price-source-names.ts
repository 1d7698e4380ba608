import type { Knex } from 'knex';

/** Price lists that are no longer known by name; models.dev lists the same makers. */
const GONE = ['litellm', 'genai-prices'];

export async function up(knex: Knex): Promise<void> {
  await knex('options')
    .where({ key: 'PriceSourceUrl' })
    .whereIn('value', GONE)
    .update({ value: 'models.dev' });
}
