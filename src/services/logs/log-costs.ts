/** Cost and margin of sums over the log, which only administrators see. */
import type * as z from 'zod/mini';
import type { Costs } from '../../api/logs/log.ts';

export interface CostSums {
  readonly cost: number;
  readonly costed_quota: number;
}

/** The sums with `costs` in place of the plain columns; without, if the cost of no call is known. */
export function withCosts<T extends CostSums>({
  cost,
  costed_quota,
  ...others
}: T): Omit<T, keyof CostSums> & { costs?: z.input<typeof Costs> } {
  if (cost === 0 && costed_quota === 0) return others;
  return { ...others, costs: { cost, costed_quota, margin: costed_quota - cost } };
}

export function withoutCosts<T extends { readonly costs?: unknown }>({
  costs: _,
  ...others
}: T): Omit<T, 'costs'> {
  return others;
}
