/**
 * The price list: the models that enabled channels serve for the groups of a reader. Cached for a
 * minute per group and dropped when a channel or an option changes.
 */

import type * as z from 'zod/mini';
import type { Pricing, PricingEntry } from '../../api/site/public.ts';
import type { Context } from '../../context.ts';
import { channelTypeOf } from '../../domain/channels/channel-types.ts';
import { endpointTypesOf } from '../../domain/channels/model-endpoints.ts';
import { mapModel } from '../../domain/channels/model-names.ts';
import { VENDOR_NUMBERS, vendorOf } from '../../domain/channels/model-vendors.ts';
import { usableGroups } from '../../domain/groups.ts';
import { findPrice, STRICT } from '../../domain/pricing/find-price.ts';
import type { Price } from '../../domain/pricing/price.ts';
import type { PriceTables } from '../../domain/pricing/price-tables.ts';
import { ratiosOf } from '../../domain/pricing/rates.ts';
import { taskPrice } from '../../domain/pricing/task-price.ts';
import { answerVariants } from '../../domain/pricing/variants.ts';
import { splitList } from '../../domain/text/comma-list.ts';
import { parsedStrings } from '../../json/parse-json-object.ts';
import { providerOf } from '../../providers/rows/provider-rows.ts';
import { type ChannelRow, enabledChannels } from '../../store/tables/channels-table.ts';
import type { ChangeFeed } from '../cluster/change-feed.ts';
import { priceTables } from './effective-prices.ts';

/** All served models, also those without a price. */
export interface CompletePriceList
  extends Pick<z.input<typeof Pricing>, 'data' | 'group_ratio' | 'usable_group'> {
  /** The models whose name includes a channel's prefix. */
  readonly prefixed: ReadonlySet<string>;
}
type Entry = z.input<typeof PricingEntry>;

const CACHE_MS = 60_000;

interface CachedList {
  readonly list: Promise<CompletePriceList>;
  readonly untilMs: number;
}

const cachedLists = new WeakMap<ChangeFeed, Map<string, CachedList>>();

/**
 * The list for a member of `userGroup`, with the models that have no price; `listed-models.ts`
 * decides who sees those. Concurrent requests share one read of the channels.
 */
export function publicPrices(ctx: Context, userGroup: string): Promise<CompletePriceList> {
  const lists = listsOf(ctx.changes);
  const kept = lists.get(userGroup);
  if (kept !== undefined && ctx.now() < kept.untilMs) return kept.list;
  const list = priceList(ctx, userGroup);
  const fresh = { list, untilMs: ctx.now() + CACHE_MS };
  lists.set(userGroup, fresh);
  list.catch(() => {
    if (lists.get(userGroup) === fresh) lists.delete(userGroup);
  });
  return list;
}

function listsOf(changes: ChangeFeed): Map<string, CachedList> {
  const known = cachedLists.get(changes);
  if (known !== undefined) return known;
  const lists = new Map<string, CachedList>();
  cachedLists.set(changes, lists);
  for (const scope of ['channels', 'options'] as const) changes.on(scope, () => lists.clear());
  return lists;
}

async function priceList(ctx: Context, userGroup: string): Promise<CompletePriceList> {
  const options = ctx.options();
  const tables = priceTables(options);
  const groups = usableGroups(
    { ratios: options.get('GroupRatio'), labels: options.get('UserUsableGroups') },
    userGroup,
  );
  const names = groups.map((group) => group.name);
  const served = servedIn(new Set(names), await enabledChannels(ctx.reads));
  const data = [...served]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, model]) =>
      entryOf(name, priceOf(tables, model, ctx.now()), inOrder(names, model.groups)),
    );
  const prefixed = [...served].filter(([name, { bare }]) => name !== bare);
  return {
    data,
    prefixed: new Set(prefixed.map(([name]) => name)),
    group_ratio: Object.fromEntries(groups.map(({ name, ratio }) => [name, ratio])),
    usable_group: Object.fromEntries(groups.map(({ name, label }) => [name, label])),
  };
}

interface Offer {
  readonly mapped: string | undefined;
  readonly provider: string | undefined;
  readonly isTask: boolean;
}

interface ServedModel {
  readonly bare: string;
  /** What the price depends on: the upstream name, where a channel maps it, and the provider. */
  readonly offers: Map<string, Offer>;
  readonly groups: Set<string>;
}

/** Keyed by the client-facing model name. */
function servedIn(
  groups: ReadonlySet<string>,
  channels: readonly ChannelRow[],
): Map<string, ServedModel> {
  const served = new Map<string, ServedModel>();
  for (const channel of channels) {
    const shared = splitList(channel.group).filter((group) => groups.has(group));
    if (shared.length === 0) continue;
    const mapping = parsedStrings(channel.model_mapping);
    const provider = channelTypeOf(channel.type)?.slug;
    const isTask = providerOf(channel.type).family === 'task';
    for (const bare of splitList(channel.models)) {
      const name = channel.model_prefix + bare;
      const model = served.get(name) ?? { bare, offers: new Map(), groups: new Set() };
      const mapped = mapModel(mapping, name, bare);
      model.offers.set(`${provider} ${mapped}`, { mapped, provider, isTask });
      for (const group of shared) model.groups.add(group);
      served.set(name, model);
    }
  }
  return served;
}

function inOrder(names: readonly string[], groups: ReadonlySet<string>): string[] {
  return names.filter((name) => groups.has(name));
}

/**
 * The highest price where channels differ, so that no call costs more than is shown; undefined if
 * no channel has one.
 */
function priceOf(
  tables: PriceTables,
  { bare, offers }: ServedModel,
  atMs: number,
): Price | undefined {
  const prices = [...offers.values()].flatMap(({ mapped, provider, isTask }) => {
    const moment = { atMs, provider };
    if (isTask) return taskPrice(tables, bare, moment) ?? [];
    return findPrice(tables, { requested: bare, mapped }, STRICT, moment) ?? [];
  });
  return prices.sort((a, b) => amountOf(b) - amountOf(a))[0];
}

function amountOf(price: Price): number {
  return price.kind === 'per_call' ? price.model_price : price.rates.input + price.rates.output;
}

const NO_PRICE = {
  quota_type: 0,
  model_ratio: 0,
  model_price: 0,
  owner_by: '',
  completion_ratio: 0,
  cache_ratio: 0,
  cache_creation_ratio: 0,
};

function entryOf(model_name: string, price: Price | undefined, enable_groups: string[]): Entry {
  const supported_endpoint_types = [...endpointTypesOf(model_name)];
  const vendor_id = VENDOR_NUMBERS.get(vendorOf(model_name));
  const entry = {
    model_name,
    ...NO_PRICE,
    ...(vendor_id !== undefined && { vendor_id }),
    enable_groups,
    supported_endpoint_types,
  };
  if (price === undefined) return { ...entry, unset: true };
  if (price.kind === 'per_call') return { ...entry, quota_type: 1, model_price: price.model_price };
  const { model_ratio, completion_ratio, cache_ratio, cache_creation_ratio } = ratiosOf(
    price.rates,
  );
  return {
    ...entry,
    model_ratio,
    completion_ratio,
    cache_ratio,
    cache_creation_ratio,
    rates: price.rates,
    ...(price.byAnswer && { variants: answerVariants(price) }),
  };
}
