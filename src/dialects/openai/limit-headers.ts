/** OpenAI's rate limit headers. */
import type { LimitHeaders } from '../hub/limit-headers.ts';

export const openAiLimitHeaders: LimitHeaders = ({ of, limit, left, resetMs }) => ({
  [`x-ratelimit-limit-${of}`]: String(limit),
  [`x-ratelimit-remaining-${of}`]: String(left),
  [`x-ratelimit-reset-${of}`]: duration(resetMs),
});

/** `350ms`, `20s`, `6m0s`, `1h0m0s`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const sec = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(sec / 3600), Math.floor((sec % 3600) / 60)];
  if (hours > 0) return `${hours}h${minutes}m${sec % 60}s`;
  return minutes > 0 ? `${minutes}m${sec % 60}s` : `${sec}s`;
}
