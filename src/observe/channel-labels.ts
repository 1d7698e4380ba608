/** The metric labels of a channel: its id, which never changes, and the slug of its type. */
import { CHANNEL_TYPES } from '../domain/channels/channel-types.ts';

export interface ChannelTypeLookup {
  /** Slug of the type; '' for an unknown channel. */
  typeOf(channelId: number): string;
}

const SLUGS: ReadonlyMap<number, string> = new Map(
  Object.entries(CHANNEL_TYPES).map(([number, { slug }]) => [Number(number), slug]),
);

export function channelTypeSlug(type: number): string {
  return SLUGS.get(type) ?? String(type);
}
