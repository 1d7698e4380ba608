import { createContext, useContext } from 'react';
import { type Beat, HealthStrip } from '../../../components/charts/HealthStrip.tsx';
import type { Line } from './channel-rows.ts';

export type HealthById = ReadonlyMap<number, readonly Beat[]>;

/** Loads after the rows and then re-renders only its own cells. */
export const HealthContext = createContext<HealthById>(new Map());

const NO_BEATS: readonly Beat[] = [];

/** The recent outcomes of each channel. */
export function useBeats(): (channelId: number) => readonly Beat[] {
  const health = useContext(HealthContext);
  return (channelId) => health.get(channelId) ?? NO_BEATS;
}

/** The recent outcomes of a channel, or of all channels of a tag. */
export function Health({ line }: { readonly line: Line }) {
  const beatsOf = useBeats();
  const beats =
    line.kind === 'channel'
      ? beatsOf(line.channel.id)
      : line.channels.flatMap(({ id }) => beatsOf(id)).sort((one, other) => one.at - other.at);
  return <HealthStrip isNarrow beats={beats} />;
}
