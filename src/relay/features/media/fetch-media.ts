/**
 * Fetches media URLs that the upstream does not download itself: Google supports few, models at
 * other clouds and local servers none.
 */
import { type FetchedMedia, remoteMediaUrls } from '../../../dialects/hub/request/media.ts';
import { providerFamilyOf, transportOf } from '../../../providers/transports/all.ts';
import { guardedFetch } from '../../../services/network/egress.ts';
import { requestOf } from '../../call/hub-request.ts';
import type { Ports } from '../../call/relay-ports.ts';
import type { RoutePlan } from '../../call/route-plan.ts';
import type { Feature } from '../feature.ts';

type Media = ReadonlyMap<string, FetchedMedia>;

/** Total for one call; no cloud accepts more in a request. */
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

export const media: Feature = {
  route: {
    appliesTo: (plan) => plan.endpoint === 'chat' && (takesBytesOnly(plan) || downloadsSome(plan)),
    async prepare(relay, call) {
      const { attachments } = call;
      const { plan } = call.route;
      const reads = takesBytesOnly(plan) ? undefined : plan.pair?.upstream.readsMediaAt;
      const urls = remoteMediaUrls(requestOf(call)).filter((url) => !reads?.(url));
      return urls.length === 0 ? {} : { media: await fetchAll(relay, urls, attachments.media) };
    },
  },
};

function takesBytesOnly({ provider, model }: RoutePlan): boolean {
  if (provider.mediaAsBytes) return true;
  const families = transportOf(provider).bytesOnly ?? [];
  return families.includes(providerFamilyOf(provider, model));
}

function downloadsSome({ pair }: RoutePlan): boolean {
  return pair !== undefined && !pair.isSame && pair.upstream.readsMediaAt !== undefined;
}

/**
 * Fetches each URL that is not known yet, one after the other, within one limit for all.
 * @throws AppError fetch_refused, fetch_failed
 */
async function fetchAll(
  relay: Ports<'ctx'>,
  urls: readonly string[],
  known: Media | undefined,
): Promise<Media> {
  const fetched = new Map(known);
  let maxBytes = MAX_MEDIA_BYTES;
  for (const { data } of fetched.values()) maxBytes -= Buffer.byteLength(data, 'base64');
  for (const url of urls) {
    if (fetched.has(url)) continue;
    const { headers, bytes } = await guardedFetch(relay.ctx, url, { maxBytes });
    const mediaType = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    fetched.set(url, { mediaType, data: bytes.toString('base64') });
    maxBytes -= bytes.length;
  }
  return fetched;
}
