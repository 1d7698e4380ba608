/** Files that an application takes by the id of an upload only: where they go, and what comes back. */
import type { UpstreamError } from '../../upstream-errors/upstream-error.ts';
import type { Block, MediaSource } from './blocks.ts';
import type { HubMessage, HubRequest } from './request.ts';

export type Bytes = Extract<MediaSource, { kind: 'base64' }>;
export type Media = Extract<Block, { kind: 'image' | 'audio' | 'file' }>;

export interface Uploading {
  readonly path: string;
  /** Fields of the form beside the file. */
  fields(user: string): Readonly<Record<string, string>>;
  /** Bytes in a request that have to be uploaded before it. */
  files(request: HubRequest): readonly Bytes[];
  /** The id in the answer; undefined when it has none. */
  idIn(json: unknown): string | undefined;
  /** A refusal that comes with success. */
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
