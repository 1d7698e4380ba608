/**
 * What the upstream of a channel charges the operator (docs/billing.md, "Cost and margin"): a factor
 * on the list price, rates per model, or both; rates come first. A cost that neither determines is
 * unknown, never 0.
 */
import { chargedUnits } from './charge.ts';
import { priceInForce } from './find-price.ts';
import { type FurtherUse, NO_FURTHER } from './further-uses.ts';
import { findModelName } from './model-names.ts';
import type { ListPrice, Price } from './price.ts';
import { ChannelCostSchema } from './rate-schema.ts';
import type { Usage } from './usage.ts';

export interface ChannelCost {
  readonly factor: number | undefined;
  readonly rates: ReadonlyMap<string, ListPrice>;
}

/** Undefined if nothing is known, also for text that is not valid. */
export function readChannelCost(text: string): ChannelCost | undefined {
  if (text === '') return undefined;
  const { data } = ChannelCostSchema.safeParse(jsonOf(text));
  if (data === undefined) return undefined;
  const rates = Object.entries(data.rates ?? {}).map(
    ([model, rates]) => [model, { rates, variants: [] }] as const,
  );
  return { factor: data.factor, rates: new Map(rates) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A call whose price is known, at a channel. */
export interface PricedCall {
  readonly price: Price;
  /** The model's name at the upstream. */
  readonly upstreamModel: string;
}

export interface CostPrice {
  readonly price: Price;
  readonly factor: number;
}

interface Kept {
  readonly upstreamModel: string;
  readonly found: CostPrice | undefined;
}

/** By price, of which there is one per model: it is the same for thousands of calls. */
const kept = new WeakMap<ChannelCost, WeakMap<Price, Kept>>();

/** Undefined if the cost is unknown. */
export function costPriceOf(
  cost: ChannelCost | undefined,
  call: PricedCall,
): CostPrice | undefined {
  if (cost === undefined) return undefined;
  const prices = kept.get(cost) ?? new WeakMap<Price, Kept>();
  kept.set(cost, prices);
  const { price, upstreamModel } = call;
  const known = prices.get(price);
  if (known?.upstreamModel === upstreamModel) return known.found;
  const found = findCostPrice(cost, call);
  prices.set(price, { upstreamModel, found });
  return found;
}

function findCostPrice(
  { factor, rates }: ChannelCost,
  { price, upstreamModel }: PricedCall,
): CostPrice | undefined {
  const { name } = price;
  const own =
    [upstreamModel, name].find((model) => rates.has(model)) ??
    findModelName(rates, upstreamModel) ??
    findModelName(rates, name);
  const list = own === undefined ? undefined : rates.get(own);
  if (list !== undefined)
    return { price: priceInForce(list, { name, rule: price.rule }, { atMs: 0 }), factor: 1 };
  // Without a price in the tables there is nothing that the factor could refer to.
  if (factor === undefined || price.rule === 'unset') return undefined;
  // A copy, because `charge.ts` keeps the last factors of each price.
  return { price: { ...price }, factor };
}

export interface CostedCall extends PricedCall {
  readonly usage: Usage;
  readonly further?: readonly FurtherUse[];
  readonly calls: number;
}

/** The cost of a call in whole units, by the rule of charges; null if it is unknown. */
export function costUnits(
  cost: ChannelCost | undefined,
  { calls, further = NO_FURTHER, ...call }: CostedCall,
  quotaPerUnit: number,
): number | null {
  const { upstreamModel } = call;
  const others = further.map(({ model = upstreamModel, ...use }) => ({
    ...use,
    upstreamModel: model,
  }));
  const uses = [call, ...others].flatMap((use) => {
    const found = costPriceOf(cost, use);
    return found === undefined
      ? []
      : [{ price: found.price, ratio: found.factor, usage: use.usage }];
  });
  return uses.length > others.length ? chargedUnits(uses, { quotaPerUnit, calls }) : null;
}

/**
 * The cost of a task, of which only calls are counted: rates per token say nothing about it.
 */
export function taskCostUnits(
  cost: ChannelCost | undefined,
  call: CostedCall,
  quotaPerUnit: number,
): number | null {
  const found = costPriceOf(cost, call);
  return found?.price.kind === 'per_call' ? costUnits(cost, call, quotaPerUnit) : null;
}
