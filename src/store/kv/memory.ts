/** Sliding-log counters of one process: per key the times of the last `limit` events, oldest first. */
import type { Kv, Window } from './kv.ts';

const SWEEP_EVERY_MS = 60_000;

interface Track {
  times: number[];
  windowMs: number;
}

export function createMemoryKv(now: () => number): Kv {
  const tracks = new Map<string, Track>();
  const listeners = new Map<string, ((text: string) => void)[]>();
  const sweep = setInterval(() => dropIdle(tracks, now()), SWEEP_EVERY_MS);
  sweep.unref();

  const add = (window: Window): void => {
    const track = tracks.get(window.key) ?? { times: [], windowMs: window.windowMs };
    track.windowMs = window.windowMs;
    track.times.push(now());
    if (track.times.length > window.limit) track.times.splice(0, track.times.length - window.limit);
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

function waitOf(track: Track | undefined, window: Window, nowMs: number): number {
  const oldest = track?.times[track.times.length - window.limit];
  if (oldest === undefined) return 0;
  return Math.max(0, oldest + window.windowMs - nowMs);
}

function dropIdle(tracks: Map<string, Track>, nowMs: number): void {
  for (const [key, track] of tracks) {
    const newest = track.times.at(-1) ?? 0;
    if (newest + track.windowMs <= nowMs) tracks.delete(key);
  }
}
