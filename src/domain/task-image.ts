/** The image URL shown to users: the upstream's, or the gateway's own if the site hides it. */
export interface TaskImage {
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

/** Empty until there is an image. The URL of an unfinished image changes, so it is not cached. */
export function visibleImageUrl({ id, imageUrl, status }: TaskImage, site: ImageSite): string {
  if (imageUrl === '' || !site.isForwarded) return imageUrl;
  const address = `${site.serverAddress.replace(/\/+$/, '')}/mj/image/${encodeURIComponent(id)}`;
  return status === 'SUCCESS' ? address : `${address}?rand=${site.nowMs}`;
}
