/** Rows of `abilities`: derived from channels, never edited. */
import type { Knex } from 'knex';
import { type AbilitySource, abilitiesOf } from '../domain/abilities.ts';
import { insertRows, type Row } from './dialect.ts';
import { countsBy, textOf } from './read.ts';

/** Writes the abilities of a channel anew. */
export async function rebuildAbilities(
  trx: Knex.Transaction,
  channel: AbilitySource,
): Promise<number> {
  await trx('abilities').where({ channel_id: channel.id }).delete();
  const abilities = abilitiesOf(channel);
  if (abilities.length > 0) await insertRows(trx, 'abilities', abilities);
  return abilities.length;
}

export async function dropOrphanAbilities(trx: Knex.Transaction): Promise<void> {
  await trx('abilities').whereNotIn('channel_id', trx('channels').select('id')).delete();
}

/** Switches all abilities of a channel on or off. */
export async function moveAbilities(
  trx: Knex.Transaction,
  channelId: number,
  enabled: boolean,
): Promise<void> {
  await trx('abilities').where({ channel_id: channelId }).update({ enabled });
}

/** Channels per group, disabled ones included. */
export function channelsPerGroup(db: Knex): Promise<Map<string, number>> {
  const pairs = db('abilities').distinct('group', 'channel_id').as('pairs');
  return countsBy(db(pairs), 'group');
}

/** Bare names of the models some enabled channel serves, sorted. */
export async function servedModels(db: Knex): Promise<string[]> {
  const rows: Row[] = await db('abilities')
    .where({ enabled: true })
    .distinct('model')
    .orderBy('model');
  return rows.map((row) => textOf(row.model));
}

/** Names clients may use in these groups, prefixes included, whether the channel is on or off. */
export async function modelNamesOf(db: Knex, groups: readonly string[]): Promise<Set<string>> {
  const rows: Row[] = await db('abilities')
    .join('channels', 'channels.id', 'abilities.channel_id')
    .whereIn('abilities.group', [...groups])
    .distinct('abilities.model', 'channels.model_prefix');
  return new Set(rows.map((row) => textOf(row.model_prefix) + textOf(row.model)));
}
