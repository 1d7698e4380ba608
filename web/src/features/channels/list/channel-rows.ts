/** The rows of the table: channels, or tags that expand to their channels. */

import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import type { Channel } from '../calls.ts';

export interface SingleRow {
  readonly kind: 'channel';
  readonly channel: Channel;
  /** Shown below its tag. */
  readonly isChild: boolean;
}

export interface TagRow {
  readonly kind: 'tag';
  readonly tag: string;
  readonly channels: readonly Channel[];
  readonly isOpen: boolean;
}

export type ChannelRow = SingleRow | TagRow;
export type ChannelRowId = string | number;

/** The channels of a tag, or the one of a row of its own. */
export function channelsIn(row: ChannelRow): readonly Channel[] {
  return row.kind === 'tag' ? row.channels : [row.channel];
}

export function channelRowId(row: ChannelRow): ChannelRowId {
  return row.kind === 'tag' ? `tag:${row.tag}` : row.channel.id;
}

/** Caches a row per channel object, so that unchanged rows do not re-render. */
const rows = {
  own: new WeakMap<Channel, ChannelRow>(),
  child: new WeakMap<Channel, ChannelRow>(),
};

function singleRow(channel: Channel, isChild: boolean): ChannelRow {
  const known = isChild ? rows.child : rows.own;
  const row = known.get(channel) ?? { kind: 'channel', channel, isChild };
  known.set(channel, row);
  return row;
}

export function plainRows(channels: readonly Channel[]): ChannelRow[] {
  return channels.map((channel) => singleRow(channel, false));
}

/** Tags in the order of their first channel, each open one followed by its channels. */
export function tagRows(channels: readonly Channel[], open: ReadonlySet<string>): ChannelRow[] {
  return [...byTag(channels)].flatMap(([tag, own]): ChannelRow[] => {
    const isOpen = open.has(tag);
    const children = isOpen ? own.map((channel) => singleRow(channel, true)) : [];
    return [{ kind: 'tag', tag, channels: own, isOpen }, ...children];
  });
}

function byTag(channels: readonly Channel[]): Map<string, Channel[]> {
  const tags = new Map<string, Channel[]>();
  for (const channel of channels) {
    const own = tags.get(channel.tag);
    if (own) own.push(channel);
    else tags.set(channel.tag, [channel]);
  }
  return tags;
}

/** The value all channels share; undefined if they differ. */
export function common<T>(channels: readonly Channel[], read: (one: Channel) => T): T | undefined {
  const values = new Set(channels.map(read));
  const [only] = values;
  return values.size === 1 ? only : undefined;
}

export function sumOf(channels: readonly Channel[], read: (one: Channel) => number): number {
  return channels.reduce((total, one) => total + read(one), 0);
}

/** All names of the comma-separated lists, without duplicates. */
export function namesIn(channels: readonly Channel[], read: (one: Channel) => string): string[] {
  return [...new Set(channels.flatMap((one) => splitList(read(one))))];
}

/** ms; ignores untested channels, and 0 means none was tested. */
export function meanResponse(channels: readonly Channel[]): number {
  const tested = channels.filter(({ response_time }) => response_time > 0);
  if (tested.length === 0) return 0;
  return Math.round(sumOf(tested, (one) => one.response_time) / tested.length);
}

export function countOn(channels: readonly Channel[]): number {
  return channels.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
}

/** Channel ids after a change of checkboxes: a tag's checkbox stands for all of its channels. */
export function channelsChosen(
  before: ReadonlySet<number>,
  boxes: ReadonlySet<ChannelRowId>,
  rows: readonly ChannelRow[],
): Set<number> {
  const was = boxesOf(before, rows);
  const next = new Set(before);
  for (const row of rows) {
    const isTicked = boxes.has(channelRowId(row));
    if (isTicked === was.has(channelRowId(row))) continue;
    for (const { id } of channelsIn(row)) {
      if (isTicked) next.add(id);
      else next.delete(id);
    }
  }
  return next;
}

/** Checkbox state of channels: a tag is checked if all of its channels are. */
export function boxesOf(
  chosen: ReadonlySet<number>,
  rows: readonly ChannelRow[],
): Set<ChannelRowId> {
  const ticked = rows.filter((row) => channelsIn(row).every(({ id }) => chosen.has(id)));
  return new Set(ticked.map(channelRowId));
}
