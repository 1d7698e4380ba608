/** Uploads to applications that accept files only by upload id. */
import type { UpstreamError } from '../../../upstream-errors/upstream-error.ts';
import type { Block, MediaSource } from '../blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

export type Bytes = Extract<MediaSource, { kind: 'base64' }>;
export type Media = Extract<Block, { kind: 'image' | 'audio' | 'file' }>;

export interface UploadApi {
  readonly path: string;
  /** Form fields sent with the file. */
  fields(user: string): Readonly<Record<string, string>>;
  /** Bytes in a request that must be uploaded first. */
  files(request: HubRequest): readonly Bytes[];
  /** The id in the response; undefined if it has none. */
  idIn(json: unknown): string | undefined;
  /** The error in a response with a success status. */
  readError(json: unknown): UpstreamError | undefined;
}

export function mediaOf(messages: readonly HubMessage[]): readonly Media[] {
  return messages.flatMap(({ blocks }) =>
    blocks.filter(
      (block) => block.kind === 'image' || block.kind === 'audio' || block.kind === 'file',
    ),
  );
}

export function bytesOf(media: readonly Media[]): readonly Bytes[] {
  return media.flatMap(({ source }) => (source.kind === 'base64' ? [source] : []));
}
