/** Counters within one process: per key the times of the last `limit` events, oldest first. */
import { LRUCache } from 'lru-cache';
import { type Kv, MAX_TEXT_CHARS, type Window } from './kv.ts';
import { createMemoryPermits } from './memory-permits.ts';

const SWEEP_EVERY_MS = 60_000;
const MAX_ALL_TEXTS_CHARS = 16 * 1024 * 1024;
/** Minimum size counted per text, to account for storage overhead. */
const LEAST_TEXT_CHARS = 800;

/** Times from index `start` on, oldest first; earlier ones have expired and are cut later. */
interface Track {
  times: number[];
  start: number;
  windowMs: number;
}

export function createMemoryKv(now: () => number): Kv {
  const tracks = new Map<string, Track>();
  const texts = new LRUCache<string, { readonly text: string; readonly endsAtMs: number }>({
    maxSize: MAX_ALL_TEXTS_CHARS,
    sizeCalculation: ({ text }) => Math.max(text.length, LEAST_TEXT_CHARS),
  });
  const listeners = new Map<string, ((text: string) => void)[]>();
  const { sweep: sweepPermits, ...permits } = createMemoryPermits(now);
  const sweep = setInterval(() => {
    dropIdle(tracks, now());
    sweepPermits();
  }, SWEEP_EVERY_MS);
  sweep.unref();

  const add = (window: Window): void => {
    const track = tracks.get(window.key) ?? { times: [], start: 0, windowMs: 0 };
    track.windowMs = window.windowMs;
    track.times.push(now());
    forget(track, window.limit, now());
    tracks.set(window.key, track);
  };

  return {
    kind: 'memory',
    isUp: () => true,
    ...permits,
    async take(window) {
      const waitMs = waitOf(tracks.get(window.key), window, now());
      if (waitMs === 0) add(window);
      return waitMs;
    },
    async peek(window) {
      return waitOf(tracks.get(window.key), window, now());
    },
    async windowState(window, how) {
      const waitMs = waitOf(tracks.get(window.key), window, now());
      if (waitMs === 0 && how === 'take') add(window);
      return { waitMs, left: window.limit - countOf(tracks.get(window.key), window, now()) };
    },
    async record(window) {
      add(window);
    },
    async clear(key) {
      tracks.delete(key);
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
function forget(track: Track, limit: number, nowMs: number): void {
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

function waitOf(track: Track | undefined, window: Window, nowMs: number): number {
  if (track === undefined || track.times.length - track.start < window.limit) return 0;
  const oldest = track.times[track.times.length - window.limit];
  if (oldest === undefined) return 0;
  return Math.max(0, oldest + window.windowMs - nowMs);
}

/** Events of the window, at most its limit; the times are sorted, so a binary search suffices. */
function countOf(track: Track | undefined, { limit, windowMs }: Window, nowMs: number): number {
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

function dropIdle(tracks: Map<string, Track>, nowMs: number): void {
  for (const [key, track] of tracks) {
    const newest = track.times.at(-1) ?? 0;
    if (newest + track.windowMs <= nowMs) tracks.delete(key);
  }
}
