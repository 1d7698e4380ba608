/** Schedules the next read and formats ages. */
const MAX_DELAY_MS = 30_000;

/**
 * Milliseconds until the next read: doubled for each failure in a row, at most 30 s, and not before
 * the server's Retry-After.
 */
export function nextDelayMs(everyMs: number, failures: number, retryAfterSec = 0): number {
  const backedOff = Math.min(
    Math.max(everyMs, MAX_DELAY_MS),
    everyMs * 2 ** Math.min(failures, 10),
  );
  return Math.max(backedOff, retryAfterSec * 1000);
}

/** `4 s`, `2 min`, `3 h`, `6 d`: one unit, rounded down. */
export function ageOf(seconds: number): { readonly unit: 's' | 'min' | 'h' | 'd'; n: number } {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return { unit: 's', n: s };
  if (s < 3600) return { unit: 'min', n: Math.floor(s / 60) };
  if (s < 86_400) return { unit: 'h', n: Math.floor(s / 3600) };
  return { unit: 'd', n: Math.floor(s / 86_400) };
}

/** `00:12`, `1:02:03`. */
export function durationText(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  const two = (n: number) => String(n).padStart(2, '0');
  const hours = Math.floor(s / 3600);
  const rest = `${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}
