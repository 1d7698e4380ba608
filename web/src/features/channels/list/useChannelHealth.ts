import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Beat } from '../../../components/charts/HealthStrip.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { type Channel, channelHealth, channelKeys } from '../calls.ts';
import type { HealthById } from './ChannelHealth.tsx';

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
  const beats = useMemo(
    () =>
      data && new Map(data.map(({ channel_id, outcomes }) => [channel_id, outcomes.map(beatOf)])),
    [data],
  );
  if (isUnknownCall(error)) return undefined;
  return beats ?? NO_HEALTH;
}

type Outcome = Awaited<ReturnType<typeof channelHealth.many>>[number]['outcomes'][number];

function beatOf({ ok, at_ms, latency_ms, model, message, source }: Outcome): Beat {
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
