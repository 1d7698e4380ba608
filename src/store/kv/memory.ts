/** Sliding-log counters of one process: per key the times of the last `limit` events, oldest first. */
import type { Kv, Window } from './kv.ts';

const SWEEP_EVERY_MS = 60_000;

/** Times from `start` on, oldest first; what is before it is over and cut off now and then. */
interface Track {
  times: number[];
  start: number;
  windowMs: number;
}

export function createMemoryKv(now: () => number): Kv {
  const tracks = new Map<string, Track>();
  const listeners = new Map<string, ((text: string) => void)[]>();
  const sweep = setInterval(() => dropIdle(tracks, now()), SWEEP_EVERY_MS);
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
    async take(window) {
      const waitMs = waitOf(tracks.get(window.key), window, now());
      if (waitMs === 0) add(window);
      return waitMs;
    },
    async peek(window) {
      return waitOf(tracks.get(window.key), window, now());
    },
    async record(window) {
      add(window);
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

/** Drops what is beyond the limit or older than the window; each time is moved at most once. */
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

function dropIdle(tracks: Map<string, Track>, nowMs: number): void {
  for (const [key, track] of tracks) {
    const newest = track.times.at(-1) ?? 0;
    if (newest + track.windowMs <= nowMs) tracks.delete(key);
  }
}
