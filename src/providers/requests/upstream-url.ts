/** Builds request URLs from a channel's base URL and a provider's path. */

import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { unusableChannel } from '../../domain/errors/field-errors.ts';

export interface UpstreamUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
}

/** The channel's values for the placeholders of a path; they are encoded here. */
export interface PathValues {
  readonly model: string;
  readonly other: string;
}

/**
 * Operators enter the base URL with or without the version, and with or without the whole path.
 * Segments that the base already contains are not repeated: `https://x/v1` and
 * `/v1/chat/completions` share the `v1`, and a base that ends in any version (`/api/coding/v3`)
 * replaces everything up to the path's own version.
 *
 * @throws AppError channel_unusable
 */
export function joinUrl(baseUrl: string, path: string, values: PathValues): UpstreamUrl {
  const base = parseBase(baseUrl);
  const [pathname = '', query = ''] = path.split('?', 2);
  const segments = [...joinSegments(segmentsOf(base.pathname), segmentsOf(pathname))];
  const filled = segments.map((segment) => fill(segment, values)).join('/');
  const ownQuery = query.replace('{model}', () => encodeURIComponent(values.model));
  const search = [base.search.slice(1), ownQuery].filter((part) => part !== '').join('&');
  return { origin: base.origin, path: `/${filled}${search === '' ? '' : `?${search}`}` };
}

/** The base URL is the complete address; `{model}` in it is replaced. */
export function completeUrl(baseUrl: string, model: string): UpstreamUrl {
  const url = parseBase(baseUrl.replaceAll('{model}', encodeURIComponent(model)));
  return { origin: url.origin, path: url.pathname + url.search };
}

/** Scheme, host and port. */
export function originOf(baseUrl: string): string {
  return parseBase(baseUrl).origin;
}

export function hostOf(baseUrl: string): string {
  return parseBase(baseUrl).host;
}

function parseBase(baseUrl: string): URL {
  if (baseUrl === '') throw unusableChannel('base_url_missing');
  const url = parsedUrl(baseUrl);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw unusableChannel('base_url_invalid');
  }
  return url;
}

function segmentsOf(path: string): readonly string[] {
  return (path.match(/\{model\/\}|[^/]+/g) ?? []).filter((segment) => segment !== '');
}

function joinSegments(base: readonly string[], wanted: readonly string[]): readonly string[] {
  const shared = sharedCount(base, wanted);
  if (shared > 0) return [...base, ...wanted.slice(shared)];
  const endsInVersion = isVersion(base.at(-1));
  return [...base, ...(endsInVersion ? wanted.slice(wanted.findLastIndex(isVersion) + 1) : wanted)];
}

/**
 * How many segments at the base's end match the path's start. A single one counts only if it is a
 * version or the whole base.
 */
function sharedCount(base: readonly string[], wanted: readonly string[]): number {
  for (let count = Math.min(base.length, wanted.length); count > 0; count--) {
    const end = base.slice(-count);
    const fits = wanted
      .slice(0, count)
      .every((part, at) => isPlaceholder(part) || part === end[at]);
    if (fits && (count > 1 || count === base.length || isVersion(end[0]))) return count;
  }
  return 0;
}

function isVersion(segment: string | undefined): boolean {
  return segment !== undefined && /^v\d+((alpha|beta)\d*)?$/.test(segment);
}

function isPlaceholder(segment: string): boolean {
  return segment.startsWith('{');
}

function fill(segment: string, values: PathValues): string {
  // A replacement function, because a model's name may contain special replacement patterns.
  if (segment.startsWith('{model}'))
    return segment.replace('{model}', () => encodeURIComponent(values.model));
  if (segment === '{model/}') return values.model.split('/').map(encodeURIComponent).join('/');
  if (segment !== '{other}') return segment;
  if (values.other === '') throw unusableChannel('other_missing');
  return encodeURIComponent(values.other);
}
