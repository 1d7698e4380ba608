/** Counters within one process: per key the times of the last `limit` events, oldest first. */
import { LRUCache } from 'lru-cache';
import { type Kv, MAX_TEXT_CHARS, type RateWindow } from './kv.ts';
import { createMemoryPermits } from './memory-permits.ts';

const SWEEP_EVERY_MS = 60_000;
const MAX_TOTAL_CHARS = 16 * 1024 * 1024;
/** Minimum size counted per text, to account for storage overhead. */
const MIN_TEXT_CHARS = 800;

/** Times from index `start` on, oldest first; earlier ones have expired and are cut later. */
interface EventTimes {
  times: number[];
  start: number;
  windowMs: number;
}

export function createMemoryKv(now: () => number): Kv {
  const eventTimes = new Map<string, EventTimes>();
  const texts = new LRUCache<string, { readonly text: string; readonly endsAtMs: number }>({
    maxSize: MAX_TOTAL_CHARS,
    sizeCalculation: ({ text }) => Math.max(text.length, MIN_TEXT_CHARS),
  });
  const listeners = new Map<string, ((text: string) => void)[]>();
  const { removeEmptyKeys: sweepPermits, ...permits } = createMemoryPermits(now);
  const sweep = setInterval(() => {
    dropIdle(eventTimes, now());
    sweepPermits();
  }, SWEEP_EVERY_MS);
  sweep.unref();

  const add = (window: RateWindow): void => {
    const track = eventTimes.get(window.key) ?? { times: [], start: 0, windowMs: 0 };
    track.windowMs = window.windowMs;
    track.times.push(now());
    dropExpired(track, window.limit, now());
    eventTimes.set(window.key, track);
  };

  return {
    kind: 'memory',
    isUp: () => true,
    ...permits,
    async take(window) {
      const waitMs = waitMsOf(eventTimes.get(window.key), window, now());
      if (waitMs === 0) add(window);
      return waitMs;
    },
    peek: (window) => waitMsOf(eventTimes.get(window.key), window, now()),
    windowState(window, how) {
      const waitMs = waitMsOf(eventTimes.get(window.key), window, now());
      if (waitMs === 0 && how === 'take') add(window);
      return { waitMs, left: window.limit - eventCount(eventTimes.get(window.key), window, now()) };
    },
    record: add,
    async clear(key) {
      eventTimes.delete(key);
      texts.delete(key);
    },
    async put(key, text, lifetimeMs) {
      if (text.length <= MAX_TEXT_CHARS) texts.set(key, { text, endsAtMs: now() + lifetimeMs });
    },
    async read(keys) {
      return keys.map((key) => {
        const kept = texts.get(key);
        return kept !== undefined && kept.endsAtMs > now() ? kept.text : undefined;
      });
    },
    async publish(topic, text) {
      for (const listener of listeners.get(topic) ?? []) listener(text);
    },
    async subscribe(topic, onMessage) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), onMessage]);
    },
    async close() {
      clearInterval(sweep);
    },
  };
}

/** Drops times beyond the limit or older than the window; each time is moved at most once. */
function dropExpired(track: EventTimes, limit: number, nowMs: number): void {
  const { times } = track;
  while (
    times.length - track.start > limit ||
    (times[track.start] ?? nowMs) + track.windowMs <= nowMs
  )
    track.start += 1;
  if (track.start < times.length / 2) return;
  track.times = times.slice(track.start);
  track.start = 0;
}

function waitMsOf(track: EventTimes | undefined, window: RateWindow, nowMs: number): number {
  if (track === undefined || track.times.length - track.start < window.limit) return 0;
  const oldest = track.times[track.times.length - window.limit];
  if (oldest === undefined) return 0;
  return Math.max(0, oldest + window.windowMs - nowMs);
}

/** Events of the window, at most its limit; the times are sorted, so a binary search suffices. */
function eventCount(
  track: EventTimes | undefined,
  { limit, windowMs }: RateWindow,
  nowMs: number,
): number {
  if (track === undefined) return 0;
  const { times } = track;
  let from = Math.max(track.start, times.length - limit);
  let to = times.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle] ?? nowMs) + windowMs <= nowMs) from = middle + 1;
    else to = middle;
  }
  return times.length - from;
}

function dropIdle(tracks: Map<string, EventTimes>, nowMs: number): void {
  for (const [key, track] of tracks) {
    const newest = track.times.at(-1) ?? 0;
    if (newest + track.windowMs <= nowMs) tracks.delete(key);
  }
}
