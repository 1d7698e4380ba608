/**
 * The image URL shown to users: the upstream's, or the gateway's own when the site hides the
 * upstream address.
 */
export interface DrawnImage {
  /** The id exposed to clients. */
  readonly id: string;
  readonly imageUrl: string;
  readonly status: string;
}

export interface ImageSite {
  /** Option MjForwardUrlEnabled. */
  readonly isForwarded: boolean;
  /** Option ServerAddress. */
  readonly serverAddress: string;
  readonly nowMs: number;
}

/**
 * Empty until there is an image. Until the task succeeds, the URL changes on every read, so that
 * drafts are not cached.
 */
export function shownImageUrl({ id, imageUrl, status }: DrawnImage, site: ImageSite): string {
  if (imageUrl === '' || !site.isForwarded) return imageUrl;
  const address = `${site.serverAddress.replace(/\/+$/, '')}/mj/image/${encodeURIComponent(id)}`;
  return status === 'SUCCESS' ? address : `${address}?rand=${site.nowMs}`;
}
