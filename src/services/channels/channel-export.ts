/** Exports channels as a document that an import accepts. */
import type * as z from 'zod/mini';
import type { Service } from '../../api/call.ts';
import {
  type channelTransferCalls,
  type ExportedChannel,
  TRANSFER_VERSION,
} from '../../api/channels/channel-transfer.ts';
import type { Context } from '../../context.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import { type ColumnKind, columnNames, type NounColumn } from '../../domain/nouns/columns.ts';
import { ROLES } from '../../domain/roles.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { type ChannelKeyRow, channelKeysOf } from '../../store/tables/channel-keys-table.ts';
import { allChannels, type ChannelRow } from '../../store/tables/channels-table.ts';
import { writing } from '../cluster/announced-write.ts';
import { requireOwnerProof } from '../credentials/owner-proof.ts';
import { requireRole } from '../logs/audit.ts';
import { decryptKeys, maskedKey } from './channel-keys.ts';
import { recordChannelAction } from './channel-writes.ts';

type Calls = Service<typeof channelTransferCalls, Context>;
type Exported = z.input<typeof ExportedChannel>;

/** Key exports are logged with the actor. */
export const exportAll: Calls['exportAll'] = async (
  ctx,
  actor,
  { keys: withKeys, tag = '', password },
  visit,
) => {
  if (withKeys) {
    requireRole(actor, ROLES.super_admin);
    await requireOwnerProof(ctx, actor, visit, { password });
  }
  const all = await allChannels(ctx.reads);
  const channels = tag === '' ? all : all.filter((channel) => channel.tag === tag);
  const keys = await channelKeysOf(
    ctx.reads,
    channels.map((channel) => channel.id),
  );
  if (withKeys && channels.length > 0)
    await writing(ctx, (ctx) =>
      recordChannelAction(ctx, actor, channels, { event: 'channel_exported' }),
    );
  const shared = sharedNames(all);
  const keyOf = (owned: readonly ChannelKeyRow[]) =>
    withKeys ? decryptKeys(ctx, owned) : maskedKey(owned);
  return {
    version: TRANSFER_VERSION,
    channels: channels.map((channel) => ({
      ...(shared.has(channel.name) && { id: channel.id }),
      ...exported(channel, keyOf(keys.get(channel.id) ?? [])),
    })),
  };
};

function sharedNames(channels: readonly ChannelRow[]): ReadonlySet<string> {
  const names = channels.map(({ name }) => name).sort();
  return new Set(names.filter((name, at) => names[at + 1] === name));
}

function exported(channel: ChannelRow, key: string): Exported {
  const head = {
    name: channel.name,
    type: channelTypeOf(channel.type)?.slug ?? channel.type,
    status: channel.status,
    key,
  };
  const columns = columnNames(CHANNEL)
    .filter((name) => !(name in head) && isExported(CHANNEL[name], channel[name]))
    .map((name) => [name, exportedValue(CHANNEL[name].kind, channel[name])]);
  return { ...head, ...(Object.fromEntries(columns) as Exported) }; // each in the form of its kind
}

function isExported({ isAlwaysExported, default: initial }: NounColumn, value: unknown): boolean {
  return isAlwaysExported === true || value !== initial;
}

function exportedValue(kind: ColumnKind, value: string | number) {
  if (kind === 'list') return splitList(String(value));
  return kind === 'json' ? jsonOf(String(value)) : value;
}

/**
 * The parsed object if the text is a JSON object, else the text, which keeps invalid old values.
 */
function jsonOf(text: string): string | Record<string, unknown> {
  const object = parsedObject(text);
  return Object.keys(object).length > 0 ? { ...object } : text;
}
