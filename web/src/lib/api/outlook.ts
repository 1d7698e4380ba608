/** How long the balance of the signed-in account lasts. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';
import { walletKeys } from './query-keys.ts';

const STALE_MS = 60_000;
const REFETCH_MS = 5 * 60_000;

export const outlookQuery = (userId: number) =>
  queryOptions({
    queryKey: walletKeys.part('outlook', userId),
    queryFn: async ({ signal }) => {
      const { walletCalls } = await import('../../../../src/api/billing/wallet.ts');
      return client({ outlook: walletCalls.outlook }).outlook({}, { signal });
    },
    staleTime: STALE_MS,
    refetchInterval: REFETCH_MS,
    enabled: userId > 0,
  });
