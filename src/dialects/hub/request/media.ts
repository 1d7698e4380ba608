/** Images, audio and files: parses data URLs, detects media types and finds media to fetch. */
import type { Block, MediaSource } from '../blocks.ts';
import type { HubRequest } from './request.ts';

/** Decodes `data:` URLs to bytes; other URLs are kept. */
export function sourceOfUrl(url: string): MediaSource {
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const comma = url.indexOf(',');
  const [mediaType = '', ...flags] = url.slice('data:'.length, comma).split(';');
  const body = url.slice(comma + 1);
  const isBase64 = flags.some((flag) => flag.trim().toLowerCase() === 'base64');
  const data = isBase64 ? body : Buffer.from(decoded(body)).toString('base64');
  return base64Source(data, mediaType);
}

function decoded(body: string): string {
  try {
    return decodeURIComponent(body);
  } catch {
    // A stray percent sign: use the text unchanged.
    return body;
  }
}

/** The type detected from the first bytes takes precedence over the declared one. */
export function base64Source(data: string, mediaType: string): MediaSource {
  return { kind: 'base64', mediaType: sniffed(data) ?? (mediaType || OCTETS), data };
}

const OCTETS = 'application/octet-stream';

/** The first bytes of common formats in base64. */
const BEGINNINGS: readonly (readonly [beginning: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
];

function sniffed(data: string): string | undefined {
  // RIFF contains audio as well; the format name follows the length.
  if (data.startsWith('UklGR') && Buffer.from(data.slice(0, 16), 'base64').includes('WEBP'))
    return 'image/webp';
  return BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1];
}

export function dataUrl(source: Extract<MediaSource, { kind: 'base64' }>): string {
  return `data:${source.mediaType};base64,${source.data}`;
}

/** Creates an image, audio or file block according to the media type. */
export function mediaBlock(source: MediaSource): Block {
  const mediaType = 'mediaType' in source ? (source.mediaType ?? '') : '';
  if (mediaType.startsWith('image/')) return { kind: 'image', source };
  return mediaType.startsWith('audio/') ? { kind: 'audio', source } : { kind: 'file', source };
}

/** OpenAI's short names of audio formats. */
export function audioFormat(mediaType: string): string {
  const name = mediaType.replace(/^audio\/(x-)?/, '');
  return name === 'mpeg' ? 'mp3' : name === 'wave' ? 'wav' : name;
}

export interface FetchedMedia {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** URLs that must be fetched for an upstream that accepts only bytes, without duplicates. */
export function remoteMediaUrls(request: HubRequest): readonly string[] {
  const urls = new Set<string>();
  mapMedia(request, (source) => {
    if (source.kind === 'url') urls.add(source.url);
    return source;
  });
  return [...urls];
}

/** Replaces the URLs of fetched media with the bytes; other URLs are kept. */
export function withFetchedMedia(
  request: HubRequest,
  fetched: ReadonlyMap<string, FetchedMedia>,
): HubRequest {
  return mapMedia(request, (source) => {
    const media = source.kind === 'url' ? fetched.get(source.url) : undefined;
    return media === undefined ? source : base64Source(media.data, media.mediaType);
  });
}

function mapMedia(request: HubRequest, turn: (source: MediaSource) => MediaSource): HubRequest {
  const turnBlock = <T extends Block>(block: T): T => {
    if (block.kind === 'tool_result')
      return { ...block, content: block.content.map((part) => turnBlock(part)) };
    return 'source' in block ? { ...block, source: turn(block.source) } : block;
  };
  const messages = request.messages.map((message) => ({
    ...message,
    blocks: message.blocks.map((block) => turnBlock(block)),
  }));
  return { ...request, messages };
}
