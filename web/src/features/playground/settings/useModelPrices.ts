import { useQuery } from '@tanstack/react-query';
import { type PriceEntry, priceListQuery } from '../../../lib/pricing/price-list.ts';
import { useUser } from '../../../lib/session/session.ts';

/** Prices by model, and the ratio of a group; '' is the user's own group. */
export function useModelPrices(): {
  readonly entryOf: (model: string) => PriceEntry | undefined;
  readonly ratioOf: (group: string) => number;
} {
  const user = useUser();
  const { data } = useQuery(priceListQuery(user?.id ?? 0));
  return {
    entryOf: (model) => data?.data.find(({ model_name }) => model_name === model),
    ratioOf: (group) => data?.group_ratio[group || (user?.group ?? '')] ?? 1,
  };
}
