/**
 * Imports channels from a document and changes only what it specifies: channels are matched by id or
 * else by name, and only differences are written, so a second run writes nothing. All or nothing.
 */
import type * as z from 'zod/mini';
import type { Actor, Service, Visit } from '../../api/call.ts';
import type { ChannelDocument, channelTransferCalls } from '../../api/channels/channel-transfer.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { columnNames, defaultFields } from '../../domain/nouns/columns.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { channelKeysOf, replaceChannelKeys } from '../../store/tables/channel-keys-table.ts';
import { lockChannels, lockChannelsNamed } from '../../store/tables/channel-sets.ts';
import {
  type ChannelFields,
  type ChannelRow,
  updateChannel,
} from '../../store/tables/channels-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { requireSameKeyDestination } from './channel-destination.ts';
import { checkedChannelFields } from './channel-fields.ts';
import { disableWithoutKeys } from './channel-health.ts';
import { newChannelKeys, resolveKeys } from './channel-keys.ts';
import { channelWarnings } from './channel-warnings.ts';
import { finishWrite, recordChannelAction, setStatusOf } from './channel-writes.ts';
import { insertChannelWithKeys } from './channels.ts';
import { reportingModels } from './model-impact.ts';

type Calls = Service<typeof channelTransferCalls, Context>;
type Imported = z.output<typeof ChannelDocument>;

/**
 * @throws AppError `channel_name_ambiguous`, `group_missing`, `input_invalid` with the position in
 * the document; then nothing is written.
 */
export const importAll: Calls['importAll'] = (
  ctx,
  actor,
  { channels, dry_run, new_groups },
  visit,
) => {
  requireUnique(channels);
  const newGroups = new Set(dry_run ? splitList(new_groups) : []);
  const mode = { isDryRun: dry_run, newGroups, visit };
  return writing(ctx, async (ctx) => {
    const found = await inOrder(channels, (item) => existing(ctx, item));
    const ids = found.flatMap((channel) => channel?.id ?? []);
    const items = await reportingModels(ctx, visit, ids, () =>
      inOrder(channels, (item, index) => {
        const channel = found[index];
        return channel === undefined
          ? createOne(ctx, actor, item, mode)
          : updateOne(ctx, actor, channel, item, mode);
      }),
    );
    const count = (action: string) => items.filter((item) => item.action === action).length;
    return {
      dry_run,
      created: count('create'),
      updated: count('update'),
      unchanged: count('same'),
      items,
    };
  });
};

function requireUnique(channels: readonly Imported[]): void {
  for (const field of ['id', 'name'] as const) {
    // Channels with an id are identified by it.
    const values = channels.map((channel) =>
      field === 'name' && channel.id !== undefined ? undefined : channel[field],
    );
    const index = values.findIndex((one, at) => one !== undefined && values.indexOf(one) !== at);
    if (index !== -1)
      throw invalidInput(`channels.${index}.${field}`, 'there_twice', {
        value: String(values[index]),
      });
  }
}

/** One after the other; an error gets the position in the document. */
async function inOrder<T>(
  channels: readonly Imported[],
  work: (item: Imported, index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const [index, item] of channels.entries()) {
    try {
      results.push(await work(item, index));
    } catch (error) {
      throw withPosition(error, index);
    }
  }
  return results;
}

/** Adds the position in the document to the error. */
function withPosition(error: unknown, index: number): unknown {
  if (!(error instanceof AppError)) return error;
  const field = `channels.${index}${error.param === undefined ? '' : `.${error.param}`}`;
  return new AppError(
    error.code,
    'field' in error.params ? { ...error.params, field } : error.params,
    { param: field, cause: error },
  );
}

type Item = z.input<typeof channelTransferCalls.importAll.reply>['items'][number];

interface Mode {
  readonly isDryRun: boolean;
  /** Groups that do not exist yet but are accepted. */
  readonly newGroups: ReadonlySet<string>;
  readonly visit: Visit;
}

/** The channel that the item changes, locked. */
async function existing(ctx: TxContext, item: Imported): Promise<ChannelRow | undefined> {
  const [channel, ...more] =
    item.id === undefined
      ? await lockChannelsNamed(ctx.db, item.name)
      : await lockChannels(ctx.db, [item.id]);
  if (channel === undefined && item.id !== undefined) throw invalidInput('id', 'channel_unknown');
  if (more.length > 0)
    throw new AppError('channel_name_ambiguous', { name: item.name }, { param: 'name' });
  return channel;
}

async function createOne(
  ctx: TxContext,
  actor: Actor,
  item: Imported,
  { isDryRun, newGroups, visit }: Mode,
): Promise<Item> {
  const { key = '', models = '' } = item;
  if (models === '') throw invalidInput('models', 'empty');
  const given = { ...DEFAULT_FIELDS, ...withoutKeys(item), models };
  const fields = checkedChannelFields(ctx, given, withoutNewGroups(given, newGroups));
  const keys = newChannelKeys(ctx, key, fields);
  const id = isDryRun ? 0 : await insertChannelWithKeys(ctx, actor, fields, keys);
  const changes = Object.keys(withoutKeys(item)).filter((name) => name !== 'name');
  const warned = channelWarnings([fields], given, visit);
  return { name: item.name, id, action: 'create', changes: [...changes, 'key'], ...warned };
}

function withoutNewGroups<F extends Partial<ChannelFields>>(
  sent: F,
  newGroups: ReadonlySet<string>,
): F {
  if (sent.group === undefined) return sent;
  const group = splitList(sent.group).filter((name) => !newGroups.has(name));
  return { ...sent, group: group.join(',') };
}

async function updateOne(
  ctx: TxContext,
  actor: Actor,
  channel: ChannelRow,
  item: Imported,
  { isDryRun, newGroups, visit }: Mode,
): Promise<Item> {
  const { name, id } = channel;
  const { status, ...sent } = withoutKeys(item);
  const checked = checkedChannelFields(
    ctx,
    { ...channel, ...sent },
    withoutNewGroups(sent, newGroups),
  );
  const fields = Object.keys(sent).filter((field) => differs(field, channel, checked));
  const wanted = await keysFor(ctx, id, item.key ?? '', checked);
  const changes = [
    ...fields,
    ...(changesStatus(channel.status, status) ? ['status'] : []),
    ...(wanted?.isChanged ? ['key'] : []),
  ];
  if (changes.length === 0) return { name, id, action: 'same', changes };
  if (wanted === undefined || wanted.hasMasked) requireSameKeyDestination(actor, channel, checked);
  if (!isDryRun) {
    await updateChannel(ctx.db, id, checked);
    if (changes.includes('status') && status !== undefined)
      await setStatusOf(ctx, [id], status, '');
    if (wanted?.isChanged) {
      await replaceChannelKeys(ctx.db, id, wanted.keys);
      await disableWithoutKeys(ctx, id);
    }
    await finishWrite(ctx, [id]);
    await recordChannelAction(ctx, actor, [channel], {
      event: 'channel_imported',
      fields: changes,
    });
  }
  return { name, id, action: 'update', changes, ...channelWarnings([checked], sent, visit) };
}

const JSON_FIELDS: ReadonlySet<string> = new Set(
  columnNames(CHANNEL).filter((name) => CHANNEL[name].kind === 'json'),
);

/** JSON is compared by value; whitespace is not a change. */
function differs(field: string, before: ChannelFields, after: ChannelFields): boolean {
  const [old, wanted] = [before, after].map((fields) => Reflect.get(fields, field));
  if (old === wanted) return false;
  if (!JSON_FIELDS.has(field)) return true;
  return JSON.stringify(parsedObject(String(old))) !== JSON.stringify(parsedObject(String(wanted)));
}

/** The document decides on or off; whether a channel is auto-disabled is decided by the gateway. */
function changesStatus(now: number, wanted: number | undefined): boolean {
  if (wanted === undefined || wanted === CHANNEL_STATUS.auto_disabled) return false;
  return (now === CHANNEL_STATUS.disabled) !== (wanted === CHANNEL_STATUS.disabled);
}

/** Undefined if the document has no keys. */
async function keysFor(ctx: TxContext, id: number, text: string, fields: ChannelFields) {
  if (text.trim() === '') return undefined;
  return resolveKeys(ctx, text, fields, (await channelKeysOf(ctx.db, [id])).get(id) ?? []);
}

/** The columns that the document specifies. */
function withoutKeys({ id: _, key: __, groups, ...item }: Imported): Partial<ChannelFields> & {
  readonly name: string;
} {
  const fields = { ...item, ...(groups ? { group: groups } : {}) };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<ChannelFields> & { readonly name: string }; // schema output, undefined removed
}

/** Of a new channel; the document names the fields that have none. */
const DEFAULT_FIELDS = { ...defaultFields(CHANNEL), status: CHANNEL_STATUS.enabled };
