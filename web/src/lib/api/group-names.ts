/** The names of the site's groups, for administrators' filters and forms. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { groupCalls } from '../../../../src/api/accounts/group.ts';
import { client } from './api.ts';
import { RARELY_CHANGED_STALE_MS } from './query-client.ts';
import { groupKeys } from './query-keys.ts';

const groups = client({ names: groupCalls.names });

export const groupNamesQuery = queryOptions({
  queryKey: groupKeys.part('names'),
  queryFn: ({ signal }) => groups.names({}, { signal }),
  staleTime: RARELY_CHANGED_STALE_MS,
});

/** Empty until loaded. */
export function useGroupNames(): readonly string[] {
  return useQuery(groupNamesQuery).data ?? NONE;
}

const NONE: readonly string[] = [];
