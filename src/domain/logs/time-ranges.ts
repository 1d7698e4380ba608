/** Ranges up to now, which stay relative in a shared link. */
export const RANGES = ['today', '1h', '24h', '7d', '30d'] as const;
export type RangeWord = (typeof RANGES)[number];

export const USUAL_LOG_RANGE: RangeWord = '24h';

export function isRangeWord(text: string | undefined): text is RangeWord {
  return RANGES.some((word) => word === text);
}
