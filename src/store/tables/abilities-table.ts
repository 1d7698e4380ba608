/** Rows of `abilities`: derived from channels, never edited directly. */
import type { Knex } from 'knex';
import { type AbilitySource, abilitiesOf } from '../../domain/channels/abilities.ts';
import { insertRows } from '../sql/inserts.ts';
import { countsBy, numberValue, textValue } from '../sql/read-rows.ts';
import type { Row } from '../sql/sql-dialect.ts';

/** Channels whose abilities are deleted in one statement. */
const BATCH_CHANNELS = 500;

/** Rebuilds the abilities of these channels and returns their new number. */
export async function rebuildAbilities(
  trx: Knex.Transaction,
  ...channels: readonly AbilitySource[]
): Promise<number> {
  let written = 0;
  for (let at = 0; at < channels.length; at += BATCH_CHANNELS) {
    const part = channels.slice(at, at + BATCH_CHANNELS);
    const ids = part.map((channel) => channel.id);
    await trx('abilities').whereIn('channel_id', ids).delete();
    const abilities = part.flatMap(abilitiesOf);
    if (abilities.length > 0) await insertRows(trx, 'abilities', abilities);
    written += abilities.length;
  }
  return written;
}

export async function dropOrphanAbilities(trx: Knex.Transaction): Promise<void> {
  await trx('abilities').whereNotIn('channel_id', trx('channels').select('id')).delete();
}

/** Enables or disables all abilities of a channel. */
export async function setAbilitiesEnabled(
  trx: Knex.Transaction,
  channelId: number,
  enabled: boolean,
): Promise<void> {
  await trx('abilities').where({ channel_id: channelId }).update({ enabled });
}

/** Channels per group, including disabled ones. */
export function channelsPerGroup(db: Knex): Promise<Map<string, number>> {
  const pairs = db('abilities').distinct('group', 'channel_id').as('pairs');
  return countsBy(db(pairs), 'group');
}

/** Sorted names, without prefix, of the models that an enabled channel serves. */
export async function servedModels(db: Knex): Promise<string[]> {
  const rows: Row[] = await db('abilities')
    .where({ enabled: true })
    .distinct('model')
    .orderBy('model');
  return rows.map((row) => textValue(row.model));
}

export interface ServedPair {
  readonly group: string;
  readonly model: string;
}

/** Models per statement; parameters of one statement are limited. */
const BATCH_MODELS = 500;

/** Groups and models with an enabled channel, of these channels or of these models. */
export async function enabledPairs(
  db: Knex,
  of: { readonly channelIds: readonly number[] } | { readonly models: readonly string[] },
): Promise<ServedPair[]> {
  const [column, values] =
    'channelIds' in of ? ['channel_id', of.channelIds] : ['model', of.models];
  const pairs: ServedPair[] = [];
  for (let at = 0; at < values.length; at += BATCH_MODELS) {
    const rows: Row[] = await db('abilities')
      .where({ enabled: true })
      .whereIn(column, values.slice(at, at + BATCH_MODELS))
      .distinct('group', 'model');
    pairs.push(
      ...rows.map((row) => ({ group: textValue(row.group), model: textValue(row.model) })),
    );
  }
  return pairs;
}

/** Sorted names of the models whose enabled channels are all among these. */
export async function modelsServedOnlyBy(
  db: Knex,
  channelIds: readonly number[],
): Promise<string[]> {
  const among = new Set(channelIds);
  const of = await channelsByModel(db.from('abilities').whereIn('channel_id', [...channelIds]));
  const others = await channelsByModel(db.from('abilities').whereIn('model', [...of.keys()]));
  return [...others]
    .filter(([, channels]) => channels.every((id) => among.has(id)))
    .map(([model]) => model)
    .sort();
}

async function channelsByModel(abilities: Knex.QueryBuilder): Promise<Map<string, number[]>> {
  const rows: Row[] = await abilities.where({ enabled: true }).distinct('model', 'channel_id');
  const channels = new Map<string, number[]>();
  for (const row of rows) {
    const model = textValue(row.model);
    channels.set(model, [...(channels.get(model) ?? []), numberValue(row.channel_id)]);
  }
  return channels;
}

/** Names that clients may use in these groups, with prefixes, of enabled and disabled channels. */
export async function modelNamesOfGroups(
  db: Knex,
  groups: readonly string[],
): Promise<Set<string>> {
  const rows: Row[] = await db('abilities')
    .join('channels', 'channels.id', 'abilities.channel_id')
    .whereIn('abilities.group', [...groups])
    .distinct('abilities.model', 'channels.model_prefix');
  return new Set(rows.map((row) => textValue(row.model_prefix) + textValue(row.model)));
}
