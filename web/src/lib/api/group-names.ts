/** The names of the site's groups, for administrators' filters and forms. */
import { useQuery } from '@tanstack/react-query';
import { groupCalls } from '../../../../src/api/accounts/group.ts';
import { client } from './api.ts';
import { CALM_FRESH_MS } from './query-client.ts';
import { entityKeys } from './query-keys.ts';

const groups = client({ names: groupCalls.names });

/** Empty until loaded. */
export function useGroupNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: entityKeys('group').part('names'),
    queryFn: ({ signal }) => groups.names({}, { signal }),
    staleTime: CALM_FRESH_MS,
  });
  return data ?? NONE;
}

const NONE: readonly string[] = [];
