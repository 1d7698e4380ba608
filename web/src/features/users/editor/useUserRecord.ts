import { useQuery } from '@tanstack/react-query';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { users } from '../calls.ts';

/** One account by its id; no request without an id. */
export function useUserRecord(id: string) {
  return useQuery({
    queryKey: userKeys.one(id),
    queryFn: ({ signal }) => users.get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
    // A form must start with the stored values.
    staleTime: 0,
    gcTime: 0,
  });
}
