/**
 * The models that lists show to a reader. A model whose calls would be refused for lack of a price
 * is shown to administrators only, as one without a price.
 */
import type * as z from 'zod/mini';
import type { Actor } from '../../api/call.ts';
import type { Pricing, RatioConfig } from '../../api/site/public.ts';
import type { Context } from '../../context.ts';
import {
  ENDPOINT_TYPE_PATHS,
  type ModelEndpoint,
  modelEndpointOf,
} from '../../domain/channels/model-endpoints.ts';
import { VENDOR_NUMBERS } from '../../domain/channels/model-vendors.ts';
import { DEFAULT_GROUP } from '../../domain/groups.ts';
import { isAdmin } from '../../domain/roles.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { userById } from '../../store/tables/users-table.ts';
import { type CompletePriceList, publicPrices } from '../cache/public-price-cache.ts';

/** Guests see what a new account would see. */
export async function shownPrices(ctx: Context, actor: Actor): Promise<z.input<typeof Pricing>> {
  const { prefixed: _, ...list } = await publicPrices(ctx, groupOf(actor));
  const isForAdmin = actor.kind === 'operator' || isAdmin(actor.role);
  const isUnsetShown = isForAdmin || (await acceptsUnsetPrice(ctx, actor));
  const data = isUnsetShown ? list.data : priced(list.data);
  return { ...list, data, vendors: vendorsOf(data), supported_endpoint: endpointsOf(data) };
}

function vendorsOf(data: CompletePriceList['data']): z.input<typeof Pricing>['vendors'] {
  const listed = new Set(data.map(({ vendor_id }) => vendor_id));
  return [...VENDOR_NUMBERS].map(([name, id]) => ({ id, name })).filter(({ id }) => listed.has(id));
}

function endpointsOf(
  data: CompletePriceList['data'],
): z.input<typeof Pricing>['supported_endpoint'] {
  const listed = new Set(data.flatMap((entry) => entry.supported_endpoint_types));
  const paths = Object.entries(ENDPOINT_TYPE_PATHS).filter(([type]) => listed.has(type));
  return Object.fromEntries(paths.map(([type, path]) => [type, { path, method: 'POST' }]));
}

/** The same prices by kind, as other gateways of the family read them. */
export async function ratiosInForce(
  ctx: Context,
  actor: Actor,
): Promise<z.input<typeof RatioConfig>> {
  const entries = (await shownPrices(ctx, actor)).data.filter(({ unset }) => unset !== true);
  const byModel = (field: PricedField, quotaType: number) =>
    Object.fromEntries(
      entries
        .filter((entry) => entry.quota_type === quotaType)
        .map((entry) => [entry.model_name, entry[field]]),
    );
  return {
    model_ratio: byModel('model_ratio', 0),
    completion_ratio: byModel('completion_ratio', 0),
    cache_ratio: byModel('cache_ratio', 0),
    create_cache_ratio: byModel('cache_creation_ratio', 0),
    model_price: byModel('model_price', 1),
  };
}

type PricedField =
  | Exclude<keyof z.input<typeof RatioConfig>, 'create_cache_ratio'>
  | 'cache_creation_ratio';

interface Wanted {
  /** Models of at least one of these; of all groups of the caller when absent. */
  readonly groups?: readonly string[];
  readonly endpoint: ModelEndpoint | undefined;
}

/** Names of the models whose calls would not be refused for lack of a price, prefixed ones first. */
export async function callableModels(
  ctx: Context,
  actor: Actor,
  { groups, endpoint }: Wanted,
): Promise<string[]> {
  const { data, prefixed } = await publicPrices(ctx, groupOf(actor));
  const entries = (await acceptsUnsetPrice(ctx, actor)) ? data : priced(data);
  return entries
    .map(({ model_name, enable_groups }) => ({ name: model_name, groups: enable_groups }))
    .filter((model) => groups?.some((group) => model.groups.includes(group)) ?? true)
    .filter(({ name }) => !endpoint || modelEndpointOf(name) === endpoint)
    .sort((a, b) => Number(prefixed.has(b.name)) - Number(prefixed.has(a.name)))
    .map(({ name }) => name);
}

function priced(data: CompletePriceList['data']): CompletePriceList['data'] {
  return data.filter(({ unset }) => unset !== true);
}

function groupOf(actor: Actor): string {
  return actor.kind === 'user' && actor.id > 0 ? actor.group : DEFAULT_GROUP;
}

async function acceptsUnsetPrice(ctx: Context, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user' || actor.id === 0) return false;
  if (ctx.options().get('SelfUseModeEnabled')) return true;
  const user = await userById(ctx.reads, actor.id);
  return parsedObject(user?.setting ?? '').accept_unset_model_ratio_model === true;
}
