import { useQuery } from '@tanstack/react-query';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { redemptions } from '../calls.ts';

/** One code by its id; no request without an id. */
export function useCode(id: string) {
  return useQuery({
    queryKey: redemptionKeys.one(id),
    queryFn: ({ signal }) => redemptions.get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
    staleTime: 0,
  });
}
