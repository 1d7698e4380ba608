/** Model lists: those of upstreams, and the models that the gateway knows. */
import type { Service } from '../api/call.ts';
import type { channelModelCalls } from '../api/channels/channel-probe.ts';
import type { Context } from '../context.ts';
import { modelObject, readModelEntries } from '../dialects/openai/endpoints/model-list.ts';
import { parsedUrl } from '../domain/addresses/parsed-url.ts';
import { splitKeys } from '../domain/channels/channel-keys.ts';
import { mapModel } from '../domain/channels/model-names.ts';
import { AppError } from '../domain/errors/errors.ts';
import { upstreamStatusError } from '../domain/errors/upstream-status.ts';
import { isRetired, retiredModels } from '../domain/pricing/catalog/catalog.ts';
import { publishedModel } from '../domain/pricing/price-file/published-models.ts';
import { ROLES } from '../domain/roles.ts';
import { parseJson } from '../json/read-json.ts';
import { providerFacts, providerForm } from '../providers/provider-facts.ts';
import {
  modelListRequests,
  offersEndpoint,
  type ProviderRequest,
} from '../providers/requests/openai-request.ts';
import { originOf, type UpstreamUrl } from '../providers/requests/upstream-url.ts';
import type { ProviderRow } from '../providers/rows/provider-row.ts';
import { PROVIDERS, providerOf } from '../providers/rows/provider-rows.ts';
import { variantOf } from '../providers/rows/provider-variants.ts';
import { providerFor } from '../relay/call/channel-provider.ts';
import type { TokenRequest } from '../relay/http/access-token-cache.ts';
import {
  asUpstreamFailure,
  fetchJson,
  readErrorReply,
  requestPlanOf,
} from '../relay/http/channel-exchange.ts';
import type { Keyed } from '../relay/http/redact-repeated-keys.ts';
import { signRequest } from '../relay/http/sign-request.ts';
import { hasPrice } from '../services/billing/prices.ts';
import { type ChannelEntry, requireChannelEntry } from '../services/cache/routing-cache.ts';
import { limitUpstreamQueries } from '../services/channels/upstream-query-limit.ts';
import { roleOf } from '../services/logs/audit.ts';
import { type FetchInit, guardedFetch } from '../services/network/egress.ts';
import { loadOptions } from '../services/options/options.ts';

type Calls = Service<typeof channelModelCalls, Context>;

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** @throws AppError channel_missing, models_unlisted, upstream_status and as `fetchJson`. */
export const compare: Calls['compare'] = async (ctx, actor, { id }) => {
  await limitUpstreamQueries(ctx, actor);
  const channel = await requireChannelEntry(ctx, id);
  const names = await fetchModels(ctx, channel);
  const offered = new Set(names);
  return {
    channel_id: channel.id,
    models: names,
    missing_upstream: [...channel.models].filter(
      (name) => !offered.has(mapModel(channel.mapping, name, name) ?? name),
    ),
    not_listed: names.filter((name) => !channel.models.has(name)),
    retired: [...channel.models].filter((name) =>
      isRetired(mapModel(channel.mapping, name, name) ?? name, ctx.now()),
    ),
  };
};

/** @throws as `compare`. */
export const fetch: Calls['fetch'] = async (ctx, actor, { id }) => {
  await limitUpstreamQueries(ctx, actor);
  return fetchModels(ctx, await requireChannelEntry(ctx, id));
};

/**
 * Fetches from a typed URL instead of a channel's; only super administrators may reach private
 * networks with it.
 * @throws AppError fetch_refused, fetch_failed, upstream_status, upstream_garbled, models_unlisted.
 */
export const fetchOf: Calls['fetchOf'] = async (ctx, actor, { base_url, type, key, other }) => {
  await limitUpstreamQueries(ctx, actor);
  const typed = splitKeys(key).map((key) => ({ key }));
  const firstKey = typed[0]?.key ?? '';
  const row = variantOf(providerOf(type), { key: firstKey, other: other ?? '' });
  const provider = requireModelList(row);
  const requests = modelListRequests({
    provider,
    baseUrl: base_url ?? '',
    key: firstKey,
    other,
    siteUrl: ctx.options().get('ServerAddress'),
  });
  const allowPrivate = roleOf(actor) >= ROLES.super_admin;
  const entries = await mergeLists(requests, (request) =>
    fetchTypedList(ctx, request, { typed, allowPrivate }),
  );
  return [...entries.keys()];
};

async function fetchTypedList(
  ctx: Context,
  { url, ...request }: ProviderRequest,
  given: { readonly typed: readonly Keyed[]; readonly allowPrivate: boolean },
): Promise<unknown> {
  const fetchText = async (address: UpstreamUrl, init: FetchInit, allowPrivate: boolean) => {
    const bounds = { timeoutMs: REQUEST_TIMEOUT_MS, maxBytes: MAX_BYTES };
    const fetched = await guardedFetch(
      ctx,
      address.origin + address.path,
      { ...init, ...bounds },
      { allowPrivate },
    );
    return { ...fetched, text: fetched.text() };
  };
  const source = {
    nowMs: ctx.now(),
    tokenUrl: ctx.config.googleTokenUrl,
    // Google's token URL comes from the configuration, not from the typed input.
    send: ({ url, ...init }: TokenRequest) =>
      fetchText(
        url,
        init,
        given.allowPrivate || url.origin === originOf(ctx.config.googleTokenUrl),
      ),
  };
  const unsigned = { ...request, ...url, body: undefined };
  const signing = Promise.resolve(signRequest(unsigned, source));
  const { origin, path, method, headers } = await signing.catch((error: unknown) => {
    throw asUpstreamFailure(error);
  });
  const reply = await fetchText({ origin, path }, { method, headers }, given.allowPrivate);
  if (reply.status !== 200) throw upstreamStatusError(readErrorReply(ctx, reply, given.typed));
  return parseJson(reply.text);
}

export const types: Calls['types'] = async () =>
  PROVIDERS.map((provider) => {
    const facts = providerFacts(provider);
    const form = providerForm(provider);
    return {
      type: facts.type,
      name: facts.name,
      slug: facts.slug,
      base_url: provider.baseUrl,
      supported: provider.supported,
      address: form.address,
      key_optional: provider.keyOptional ?? false,
      fixed_models: provider.fixedModels ?? false,
      models: [...provider.models],
      dialect: facts.dialect,
      endpoints: [...facts.endpoints],
      key_form: facts.keyForm,
      other: facts.other,
      other_field: form.other,
      variants: [...facts.variants],
      tells_balance: facts.tellsBalance,
      lists_models: facts.listsModels,
      takes_messages: facts.takesMessages,
      note: facts.note,
    };
  });

/** Lists each model once, under the first provider in the list of types. */
export const catalogue: Calls['catalogue'] = async () => {
  const owners = new Map<string, string>();
  for (const provider of PROVIDERS)
    for (const model of provider.models) if (!owners.has(model)) owners.set(model, provider.slug);
  return [...owners].map(([model, owner]) => modelObject(model, owner));
};

export const retired: Calls['retired'] = async (ctx) => retiredModels(ctx.now());

/** @throws as `compare`. */
export const prices: Calls['prices'] = async (ctx, actor, { id }) => {
  await limitUpstreamQueries(ctx, actor);
  const channel = await requireChannelEntry(ctx, id);
  const [first] = listRequests(ctx, channel);
  const entries = await fetchEntries(ctx, channel);
  const options = await loadOptions(ctx);
  const names = new Map(
    [...channel.models].map((name) => [name, mapModel(channel.mapping, name, name) ?? name]),
  );
  const unpriced = [...names].filter(([name, mapped]) => !hasPrice(ctx, options, name, mapped));
  const upstream = [...new Set(unpriced.map(([, mapped]) => mapped))];
  return {
    source: parsedUrl(first?.url.origin ?? '')?.host ?? '',
    items: upstream.flatMap((model) => {
      const { rates, ...limits } = publishedModel(entries.get(model));
      return rates === undefined ? [] : [{ model, rates, ...limits }];
    }),
  };
};

async function fetchModels(ctx: Context, channel: ChannelEntry): Promise<string[]> {
  return [...(await fetchEntries(ctx, channel)).keys()];
}

function fetchEntries(ctx: Context, channel: ChannelEntry): Promise<ReadonlyMap<string, unknown>> {
  return mergeLists(listRequests(ctx, channel), (request) =>
    fetchJson(ctx, channel, { ...request, timeoutMs: REQUEST_TIMEOUT_MS }),
  );
}

function listRequests(ctx: Context, channel: ChannelEntry): readonly ProviderRequest[] {
  requireModelList(providerFor(channel));
  return modelListRequests(requestPlanOf(ctx, channel, { endpoint: 'models', model: '' }));
}

/** Some providers have several lists: each name once, in their order. */
async function mergeLists(
  requests: readonly ProviderRequest[],
  ask: (request: ProviderRequest) => Promise<unknown>,
): Promise<ReadonlyMap<string, unknown>> {
  const entries = new Map<string, unknown>();
  for (const request of requests)
    for (const [name, entry] of readModelEntries(await ask(request)))
      if (!entries.has(name)) entries.set(name, entry);
  return entries;
}

function requireModelList(provider: ProviderRow): ProviderRow {
  if (offersEndpoint(provider, 'models')) return provider;
  throw new AppError('models_unlisted', { type: provider.name });
}
