/**
 * Fetches media URLs that the upstream does not download itself: Google supports few, models at
 * other clouds and local servers none.
 */
import { type FetchedMedia, remoteMediaUrls } from '../../dialects/hub/request/media.ts';
import { providerFamilyOf, transportOf } from '../../providers/transports/all.ts';
import { guardedFetch } from '../../services/network/egress.ts';
import type { Routed } from '../call/call-stages.ts';
import { requestOf } from '../call/dialect-pair.ts';
import type { Incoming } from '../call/incoming-call.ts';
import type { Ports } from '../call/relay-ports.ts';

type Media = ReadonlyMap<string, FetchedMedia>;

/** Total for one call; no cloud accepts more in a request. */
const MAX_MEDIA_BYTES = 20 * 1024 * 1024;

/** What was fetched for earlier attempts of the call. */
const fetched = new WeakMap<Incoming, Media>();

/**
 * Fetches each URL once per call, one after the other, within one limit for all. Undefined if the
 * upstream needs none.
 * @throws AppError fetch_refused, fetch_failed
 */
export function fetchMedia(relay: Ports<'ctx'>, call: Routed): Promise<Media> | undefined {
  const { incoming, pair } = call;
  if (incoming.endpoint !== 'chat') return undefined;
  const isBytesOnly = takesBytesOnly(call);
  const readsMediaAt = isBytesOnly || pair?.isSame ? undefined : pair?.upstream.readsMediaAt;
  if (!isBytesOnly && readsMediaAt === undefined) return undefined;
  const urls = remoteMediaUrls(requestOf(call)).filter((url) => !readsMediaAt?.(url));
  return urls.length === 0 ? undefined : fetchAll(relay, incoming, urls);
}

async function fetchAll(
  relay: Ports<'ctx'>,
  incoming: Incoming,
  urls: readonly string[],
): Promise<Media> {
  const media = new Map(fetched.get(incoming));
  let maxBytes = MAX_MEDIA_BYTES;
  for (const { data } of media.values()) maxBytes -= Buffer.byteLength(data, 'base64');
  for (const url of urls) {
    if (media.has(url)) continue;
    const { headers, bytes } = await guardedFetch(relay.ctx, url, { maxBytes });
    const mediaType = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    media.set(url, { mediaType, data: bytes.toString('base64') });
    maxBytes -= bytes.length;
  }
  fetched.set(incoming, media);
  return media;
}

function takesBytesOnly({ provider, upstreamModel }: Routed): boolean {
  if (provider.mediaAsBytes) return true;
  const families = transportOf(provider).bytesOnly ?? [];
  return families.includes(providerFamilyOf(provider, upstreamModel));
}
