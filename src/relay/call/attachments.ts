import type { MediaSource } from '../../dialects/hub/blocks.ts';
import type { FetchedMedia } from '../../dialects/hub/request/media.ts';

/** What some upstreams need besides the client's request. */
export interface Attachments {
  /** Images and files fetched for an upstream that accepts only bytes, by URL. */
  readonly media: ReadonlyMap<string, FetchedMedia> | undefined;
  /** Signatures of Gemini's function calls that the client left out, by call id. */
  readonly signatures: ReadonlyMap<string, string> | undefined;
  /** Ids of files uploaded to the upstream for this call, by source. */
  readonly uploads: ReadonlyMap<MediaSource, string> | undefined;
}

export const NO_ATTACHMENTS: Attachments = {
  media: undefined,
  signatures: undefined,
  uploads: undefined,
};
