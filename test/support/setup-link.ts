/** The one-time code in the link that `gateway serve` prints; empty without a link. */
export function codeOf(link: string | undefined): string {
  return new URLSearchParams(link?.split('#')[1]).get('code') ?? '';
}
