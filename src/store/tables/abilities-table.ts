/** Rows of `abilities`: derived from channels, never edited directly. */
import type { Knex } from 'knex';
import { type AbilitySource, abilitiesOf } from '../../domain/channels/abilities.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { insertRows } from '../sql/inserts.ts';
import {
  columnTexts,
  countsBy,
  numberValue,
  type RowOf,
  rowReader,
  textValue,
} from '../sql/read-rows.ts';
import { chunksOf, type Row } from '../sql/sql-dialect.ts';

/** Channels whose abilities are deleted in one statement. */
const BATCH_CHANNELS = 500;

/** Rebuilds the abilities of these channels and returns their new number. */
export async function rebuildAbilities(
  trx: Knex.Transaction,
  ...channels: readonly AbilitySource[]
): Promise<number> {
  let written = 0;
  for (const part of chunksOf(channels, BATCH_CHANNELS)) {
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
export function servedModels(db: Knex): Promise<string[]> {
  return modelsIn(db('abilities').where({ enabled: true }));
}

function modelsIn(abilities: Knex.QueryBuilder): Promise<string[]> {
  return columnTexts(abilities.distinct().orderBy('model'), 'model');
}

const PAIRS = rowReader({ group: textValue, model: textValue });
export type ServedPair = RowOf<typeof PAIRS>;

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
  for (const part of chunksOf<number | string>(values, BATCH_MODELS))
    pairs.push(
      ...(await PAIRS.all(
        db('abilities').where({ enabled: true }).whereIn(column, part).distinct(),
      )),
    );
  return pairs;
}

/** Sorted names of the models of channels that fail or were disabled automatically. */
export function modelsOfBrokenChannels(db: Knex, failingIds: readonly number[]): Promise<string[]> {
  const disabled = db('channels').where({ status: CHANNEL_STATUS.auto_disabled }).select('id');
  const broken = db('abilities').where((either) => {
    either.whereIn('channel_id', disabled);
    for (const part of chunksOf(failingIds, BATCH_CHANNELS)) either.orWhereIn('channel_id', part);
  });
  return modelsIn(broken);
}

/** Those of these models that an enabled channel serves, apart from the failing ones. */
export async function workingModels(
  db: Knex,
  models: readonly string[],
  failingIds: readonly number[],
): Promise<Set<string>> {
  const failing = new Set(failingIds);
  const working = new Set<string>();
  for (const part of chunksOf(models, BATCH_MODELS)) {
    const rows: Row[] = await db('abilities')
      .where({ enabled: true })
      .whereIn('model', part)
      .distinct('model', 'channel_id');
    for (const row of rows)
      if (!failing.has(numberValue(row.channel_id))) working.add(textValue(row.model));
  }
  return working;
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
