// Loaded into the measured gateway (`--import`). On SIGUSR2 it writes its measurements since the last one to
// BENCH_WATCH_FILE, as a line of JSON: the longest pause of the event loop, and the largest heap.
import { appendFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 10;
const { BENCH_WATCH_FILE: file } = process.env;

if (isMainThread && file !== undefined) {
  let lastMs = performance.now();
  let pauseMs = 0;
  let heapBytes = 0;
  const look = () => {
    const now = performance.now();
    pauseMs = Math.max(pauseMs, now - lastMs - EVERY_MS);
    lastMs = now;
    heapBytes = Math.max(heapBytes, getHeapStatistics().total_heap_size);
  };
  setInterval(look, EVERY_MS).unref();
  process.on('SIGUSR2', () => {
    look();
    appendFileSync(file, `${JSON.stringify({ pauseMs, heapBytes })}\n`);
    pauseMs = 0;
    heapBytes = 0;
  });
}
