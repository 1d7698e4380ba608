import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { type HealthCheck, HealthStrip } from '../../../components/charts/HealthStrip.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channelHealth } from '../calls.ts';
import { type ChannelRow, channelsIn } from './channel-rows.ts';

export type HealthById = ReadonlyMap<number, readonly HealthCheck[]>;

/** Loads after the rows and then re-renders only its own cells. */
export const HealthContext = createContext<HealthById>(new Map());

/** The recent outcomes of a channel, or of all channels of a tag. */
export function ChannelHealth({ row }: { readonly row: ChannelRow }) {
  const health = useContext(HealthContext);
  const checks = channelsIn(row).flatMap(({ id }) => health.get(id) ?? []);
  return <HealthStrip isNarrow checks={checks.sort((one, other) => one.at - other.at)} />;
}

const MOST = 100;
export const NO_HEALTH: HealthById = new Map();

/** The recent outcomes by channel; undefined if the server keeps none. */
export function useHealth(channels: readonly Channel[]): HealthById | undefined {
  const ids = channels
    .slice(0, MOST)
    .map(({ id }) => id)
    .join(',');
  const { data, error } = useQuery({
    queryKey: channelKeys.part('health', ids),
    enabled: ids !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => channelHealth.many({ ids }, { signal }),
  });
  const checks = useMemo(
    () =>
      data &&
      new Map(data.map(({ channel_id, outcomes }) => [channel_id, outcomes.map(healthCheck)])),
    [data],
  );
  if (isUnknownCall(error)) return undefined;
  return checks ?? NO_HEALTH;
}

type Outcome = Awaited<ReturnType<typeof channelHealth.many>>[number]['outcomes'][number];

function healthCheck({ ok, at_ms, latency_ms, model, message, source }: Outcome): HealthCheck {
  return {
    isOk: ok,
    isTest: source === 'test',
    at: Math.floor(at_ms / 1000),
    ms: latency_ms,
    model,
    ...(message !== '' && { error: message }),
  };
}

function isUnknownCall(error: unknown): boolean {
  return error instanceof ApiError && [404, 405].includes(error.status);
}
