/** Where people look at a drawing: at its upstream's address, or at ours where the site hides that. */
export interface DrawnImage {
  /** The id that clients know. */
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

/** Empty until there is an image. The address changes as long as the image does: nobody keeps a draft. */
export function shownImageUrl({ id, imageUrl, status }: DrawnImage, site: ImageSite): string {
  if (imageUrl === '' || !site.isForwarded) return imageUrl;
  const address = `${site.serverAddress.replace(/\/+$/, '')}/mj/image/${encodeURIComponent(id)}`;
  return status === 'SUCCESS' ? address : `${address}?rand=${site.nowMs}`;
}
