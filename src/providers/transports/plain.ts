/** Providers with their own paths and the key in a header. */
import { AppError } from '../../domain/errors/errors.ts';
import { authHeaders } from '../requests/auth-headers.ts';
import {
  completeUrl,
  hostOf,
  joinUrl,
  originOf,
  type UpstreamUrl,
} from '../requests/upstream-url.ts';
import type { RequestPlan, Transport } from './transport.ts';

/** Joins base URL and path. */
export const PLAIN: Transport = {
  offers: (provider, endpoint) => provider.paths[endpoint] !== undefined,
  url: (plan) => joinedUrl(plan, pathOf(plan)),
  auth: ({ provider, key }) => ({ headers: authHeaders(provider, key) }),
};

/** The base URL is the complete address and may contain `{model}`. */
export const FULL: Transport = {
  ...PLAIN,
  url(plan) {
    requirePath(plan, pathOf(plan));
    return completeUrl(baseUrlOf(plan), plan.model);
  },
};

/** Appends the path to the base URL's origin and ignores the base URL's own path. */
export const ORIGIN: Transport = {
  ...PLAIN,
  url: (plan) => joinedUrl({ ...plan, baseUrl: originOf(baseUrlOf(plan)) }, pathOf(plan)),
};

export function baseUrlOf({
  baseUrl,
  provider,
}: Pick<RequestPlan, 'baseUrl' | 'provider'>): string {
  return baseUrl === '' ? provider.baseUrl : baseUrl;
}

/**
 * Joins the channel's base URL and this path; `model` replaces the plan's.
 * @throws AppError endpoint_unsupported, channel_unusable
 */
export function joinedUrl(
  plan: RequestPlan,
  path: string | undefined,
  model?: string,
): UpstreamUrl {
  const { other = '' } = plan;
  const tail = (plan.pathTail ?? []).map((segment) => `/${encodeURIComponent(segment)}`).join('');
  const known = withoutGatewayPrefix(plan, requirePath(plan, path));
  const named = model ?? plan.model;
  return joinUrl(baseUrlOf(plan), withTail(known, tail), {
    model: plan.provider.lowerCaseModel ? named.toLowerCase() : named,
    other,
  });
}

function requirePath({ model }: RequestPlan, path: string | undefined): string {
  if (path === undefined) throw new AppError('endpoint_unsupported', { model });
  return path;
}

function pathOf({ provider, endpoint, model, stream, apiVersion }: RequestPlan) {
  const special = provider.pathsByModel?.find((row) => model.startsWith(row.prefix));
  const streaming = stream ? provider.streamPaths?.[endpoint] : undefined;
  const path = special?.paths[endpoint] ?? streaming ?? provider.paths[endpoint];
  if (apiVersion === undefined) return path;
  return path?.replace(/^\/v\d\w*\//, `/${apiVersion}/`);
}

/** Keeps the query at the end. */
function withTail(path: string, tail: string): string {
  const query = path.indexOf('?');
  return query === -1 ? path + tail : path.slice(0, query) + tail + path.slice(query);
}

/**
 * A Cloudflare AI Gateway replaces the provider's root: its OpenAI URL includes the version, its
 * Azure URL starts with the deployment. Source: developers.cloudflare.com/ai-gateway.
 */
function withoutGatewayPrefix(plan: RequestPlan, path: string): string {
  if (hostOf(baseUrlOf(plan)) !== 'gateway.ai.cloudflare.com') return path;
  const { transport, slug } = plan.provider;
  if (transport === 'azure') return path.replace('/openai/deployments', '');
  return slug === 'openai' ? path.replace('/v1', '') : path;
}
