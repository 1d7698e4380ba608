import { useQuery } from '@tanstack/react-query';
import { userKeys, users } from '../calls.ts';

/** One account by its id; nothing is asked while there is none. */
export function useUserRecord(id: string) {
  return useQuery({
    queryKey: userKeys.one(id),
    queryFn: ({ signal }) => users.get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
    // A form must begin with what is stored now.
    staleTime: 0,
    gcTime: 0,
  });
}
