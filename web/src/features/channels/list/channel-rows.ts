/** The rows of the table: channels, or tags that expand to their channels. */

import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import type { Channel } from '../calls.ts';

export interface ChannelLine {
  readonly kind: 'channel';
  readonly channel: Channel;
  /** Shown below its tag. */
  readonly isChild: boolean;
}

export interface TagLine {
  readonly kind: 'tag';
  readonly tag: string;
  readonly channels: readonly Channel[];
  readonly isOpen: boolean;
}

export type ChannelRow = ChannelLine | TagLine;
export type ChannelRowId = string | number;

export function channelRowId(line: ChannelRow): ChannelRowId {
  return line.kind === 'tag' ? tagId(line.tag) : line.channel.id;
}

function tagId(tag: string): string {
  return `tag:${tag}`;
}

/** Caches a row per channel object, so that unchanged rows do not re-render. */
const lines = {
  own: new WeakMap<Channel, ChannelRow>(),
  child: new WeakMap<Channel, ChannelRow>(),
};

function channelLine(channel: Channel, isChild: boolean): ChannelRow {
  const known = isChild ? lines.child : lines.own;
  const line = known.get(channel) ?? { kind: 'channel', channel, isChild };
  known.set(channel, line);
  return line;
}

export function plainLines(channels: readonly Channel[]): ChannelRow[] {
  return channels.map((channel) => channelLine(channel, false));
}

/** Tags in the order of their first channel, each open one followed by its channels. */
export function tagLines(channels: readonly Channel[], open: ReadonlySet<string>): ChannelRow[] {
  return [...byTag(channels)].flatMap(([tag, own]): ChannelRow[] => {
    const isOpen = open.has(tag);
    const children = isOpen ? own.map((channel) => channelLine(channel, true)) : [];
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
  lines: readonly ChannelRow[],
): Set<number> {
  const was = boxesOf(before, lines);
  const next = new Set(before);
  for (const line of lines) {
    const isTicked = boxes.has(channelRowId(line));
    if (isTicked === was.has(channelRowId(line))) continue;
    const own = line.kind === 'tag' ? line.channels : [line.channel];
    for (const { id } of own) {
      if (isTicked) next.add(id);
      else next.delete(id);
    }
  }
  return next;
}

/** Checkbox state of channels: a tag is checked if all of its channels are. */
export function boxesOf(
  chosen: ReadonlySet<number>,
  lines: readonly ChannelRow[],
): Set<ChannelRowId> {
  const ticked = lines.filter((line) =>
    line.kind === 'tag'
      ? line.channels.every(({ id }) => chosen.has(id))
      : chosen.has(line.channel.id),
  );
  return new Set(ticked.map(channelRowId));
}
