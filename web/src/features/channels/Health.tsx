import { createContext, useContext } from 'react';
import { type Beat, HealthStrip } from '../../parts/HealthStrip.tsx';
import type { Line } from './grid-rows.ts';

export type HealthById = ReadonlyMap<number, readonly Beat[]>;

/** Comes after the rows, and then draws its own cells only. */
export const HealthContext = createContext<HealthById>(new Map());

const NO_BEATS: readonly Beat[] = [];

/** The latest outcomes of a channel, or of all channels of a tag together. */
export function Health({ line }: { readonly line: Line }) {
  const health = useContext(HealthContext);
  return <HealthStrip isNarrow beats={beatsOf(health, line)} />;
}

function beatsOf(health: HealthById, line: Line): readonly Beat[] {
  if (line.kind === 'channel') return health.get(line.channel.id) ?? NO_BEATS;
  return line.channels
    .flatMap(({ id }) => health.get(id) ?? NO_BEATS)
    .sort((one, other) => one.at - other.at);
}
